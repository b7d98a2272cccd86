import type { Output } from "../output/output.ts";
import type { Shown } from "../output/shown.ts";
import { wrapPieces } from "../output/wrap.ts";

/** A sentence, broken where the terminal ends. Commands are printed whole: they are copied. */
export function tell(output: Output, text: Shown): void {
  for (const line of wrapPieces([{ text, isMatch: false }], output.width, (match) => match)) {
    output.line(line);
  }
}
