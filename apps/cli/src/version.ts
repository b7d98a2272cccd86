import { readFileSync } from "node:fs";

/** The version of this command, as its manifest says. */
export function version(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const { version: own }: { version?: unknown } = JSON.parse(text);
  return String(own);
}
