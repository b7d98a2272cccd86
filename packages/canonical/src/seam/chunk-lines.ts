const chunkLength = 64 * 1024;

/**
 * Joins lines into chunks large enough to be written at once. The lines are made anew each time,
 * and only as they are asked for.
 */
export function chunkLines(lines: () => Iterable<string>): Iterable<string> {
  return { [Symbol.iterator]: () => joined(lines()) };
}

function* joined(lines: Iterable<string>): Generator<string> {
  let text = "";
  for (const line of lines) {
    text += line;
    if (text.length < chunkLength) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}
