/**
 * Where the files begin that an editor sends along behind a prompt, whichever client it drives: each
 * with its place, to the end of the text; its length where there are none.
 */
export function attachedStart(text: string): number {
  // A file may hold the same tags, and all of it is the editor's: so the first opens.
  const start = text.endsWith("\n</context>") ? text.search(head) : -1;
  return start < 0 ? text.length : start;
}

const head = /\n<context ref="[a-z][\w+.-]*:[^"\n]*">\n/;
