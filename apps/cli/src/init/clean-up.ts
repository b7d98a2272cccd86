import { readFileSync } from "node:fs";
import { join } from "node:path";

/** When a client deletes its own sessions. */
export type CleanUp = {
  readonly days: number;
  /** The settings file that says so; null if it is the client's default. */
  readonly file: string | null;
};

const claudeCodeDefaultDays = 30;

/**
 * What is known about a client's clean-up; undefined if nothing is.
 *
 * @param place - The client's own folder.
 */
export function cleanUpOf(client: string, place: string): CleanUp | undefined {
  return client === "claude-code" ? claudeCode(join(place, "settings.json")) : undefined;
}

/** When it starts, it deletes what was last written longer ago than `cleanupPeriodDays`. */
function claudeCode(file: string): CleanUp | undefined {
  const settings = read(file);
  if (settings === "missing") return { days: claudeCodeDefaultDays, file: null };
  if (settings === "unreadable") return undefined;
  const days = settings["cleanupPeriodDays"];
  if (days === undefined) return { days: claudeCodeDefaultDays, file: null };
  // What it makes of other values is not known.
  return typeof days === "number" && days > 0 ? { days, file } : undefined;
}

function read(file: string): Readonly<Record<string, unknown>> | "missing" | "unreadable" {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return isMissing ? "missing" : "unreadable";
  }
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : "unreadable";
  } catch {
    return "unreadable";
  }
}
