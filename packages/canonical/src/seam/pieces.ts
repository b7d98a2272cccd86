const pieceLength = 64 * 1024;

/**
 * Joins lines into pieces large enough to be written at once. The lines are made anew each time,
 * and only as they are asked for.
 */
export function inPieces(lines: () => Iterable<string>): Iterable<string> {
  return { [Symbol.iterator]: () => joined(lines()) };
}

function* joined(lines: Iterable<string>): Generator<string> {
  let text = "";
  for (const line of lines) {
    text += line;
    if (text.length < pieceLength) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}
