import type { Output } from "./output.ts";
import { type SafeText, safe, safeText } from "./safe-text.ts";
import { wrapText } from "./wrap.ts";

/**
 * Prints a sentence, broken where the terminal ends. Commands are printed whole, because they are
 * copied.
 *
 * @param indent - Precedes each of its lines.
 */
export function printWrapped(
  output: Output,
  text: SafeText,
  indent: SafeText = safeText(""),
): void {
  for (const line of wrapText(text, output.width - indent.length)) {
    output.line(safe`${indent}${line}`);
  }
}
