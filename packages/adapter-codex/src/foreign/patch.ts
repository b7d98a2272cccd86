import type { JsonValue } from "@pond/canonical";

/** A patch that writes a whole file; undefined if path or content is not usable. */
export function addFilePatch(
  path: JsonValue | undefined,
  content: JsonValue | undefined,
): string | undefined {
  if (!isPath(path) || typeof content !== "string") return undefined;
  return patch(`Add File: ${path}`, prefixLines("+", content));
}

/** A patch that changes one place of a file; undefined if path or texts are not usable. */
export function updateFilePatch(
  path: JsonValue | undefined,
  oldText: JsonValue | undefined,
  newText: JsonValue | undefined,
): string | undefined {
  if (!isPath(path) || typeof oldText !== "string" || typeof newText !== "string") return undefined;
  return patch(`Update File: ${path}`, [
    "@@",
    ...prefixLines("-", oldText),
    ...prefixLines("+", newText),
  ]);
}

function patch(head: string, lines: readonly string[]): string {
  return ["*** Begin Patch", `*** ${head}`, ...lines, "*** End Patch"].join("\n");
}

/** Every line of the text after a mark; a newline at the end begins no further line. */
function prefixLines(mark: string, text: string): string[] {
  if (text === "") return [];
  const lines = text.endsWith("\n") ? text.slice(0, -1) : text;
  return lines.split("\n").map((line) => `${mark}${line}`);
}

// The path ends with its line.
function isPath(path: JsonValue | undefined): path is string {
  return typeof path === "string" && path !== "" && !/[\r\n]/.test(path);
}
