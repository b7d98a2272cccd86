import { readFileSync } from "node:fs";

/** The cores this process may run on, where the system says so: Linux does, as `0-3,8`. */
export function allowedCores(status = "/proc/self/status"): number[] {
  const list = /^Cpus_allowed_list:\s*(.+)$/m.exec(textOf(status))?.[1] ?? "";
  return list
    .split(",")
    .filter(Boolean)
    .flatMap((range) => {
      const [first = 0, last = first] = range.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, at) => first + at);
    });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
