/**
 * Where the files begin that an editor sends after a prompt, whichever client it drives. Each file
 * comes with its path, and they run to the end of the text. The text's length if there are none.
 */
export function attachedFilesStart(text: string): number {
  // A file may hold the same tags and belongs to the editor as a whole, so the first tag opens the
  // block.
  const start = text.endsWith("\n</context>") ? text.search(head) : -1;
  return start < 0 ? text.length : start;
}

const head = /\n<context ref="[a-z][\w+.-]*:[^"\n]*">\n/;
