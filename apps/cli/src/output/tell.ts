import type { Output } from "./output.ts";
import { type Shown, say, shown } from "./shown.ts";
import { wrapText } from "./wrap.ts";

/**
 * Prints a sentence, broken where the terminal ends. Commands are printed whole, because they are
 * copied.
 *
 * @param indent - Precedes each of its lines.
 */
export function tell(output: Output, text: Shown, indent: Shown = shown("")): void {
  for (const line of wrapText(text, output.width - indent.length)) {
    output.line(say`${indent}${line}`);
  }
}
