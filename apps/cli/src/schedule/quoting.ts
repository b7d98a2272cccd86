import { UsageError } from "../errors.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const refused = /[\u0000-\u001f\u007f\ufffe\uffff]/;

/**
 * Refuses what no scheduler can be given: a control character ends a line of cron and of a unit,
 * and XML has none.
 *
 * @throws {UsageError}
 */
export function refuseControls(words: readonly string[]): void {
  const word = words.find((each) => refused.test(each) || !each.isWellFormed());
  if (word === undefined) return;
  throw new UsageError(
    `${JSON.stringify(word)} holds a line break or another control character, which no scheduler accepts: move pond, or what it names, elsewhere`,
    { word },
  );
}

/** A word of a cron line, quoted for the shell that cron starts. */
export function cronWord(word: string): string {
  if (/^[\w@+=:,./-]+$/.test(word)) return word;
  // A bare % begins the input of a command, and \% is one. The quotes separate it from a backslash
  // before it, which cron would take for its own.
  return `'${word.replaceAll("'", "'\\''").replaceAll("%", "''\\%")}'`;
}

/** A word of a systemd unit, where `%` begins a specifier. */
export function unitWord(word: string): string {
  return `"${word.replaceAll(/[\\"]/g, "\\$&").replaceAll("%", "%%")}"`;
}

/** A word after the first of `ExecStart`, where `$` begins a variable. */
export function unitArgument(word: string): string {
  return unitWord(word).replaceAll("$", "$$$$");
}

export function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
