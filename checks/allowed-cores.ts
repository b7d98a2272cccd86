import { readFileSync } from "node:fs";

/** The cores that this process may run on, if the system tells, as Linux does. */
export function allowedCores(): number[] {
  try {
    return coresIn(readFileSync("/proc/self/status", "utf8"));
  } catch {
    return [];
  }
}

/** The cores that the status of a process lists, for example `0-3,8`. */
export function coresIn(status: string): number[] {
  const list = /^Cpus_allowed_list:\s*(.+)$/m.exec(status)?.[1] ?? "";
  return list
    .split(",")
    .filter(Boolean)
    .flatMap((range) => {
      const [first = 0, last = first] = range.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, at) => first + at);
    });
}
