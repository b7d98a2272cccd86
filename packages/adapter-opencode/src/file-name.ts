import { hash } from "node:crypto";

/** A file name that stays in its folder: the id if it can be one, else one derived from it. */
export function fileName(id: string): string {
  const isName = /^[^./\\\0:\n][^/\\\0:\n]{0,99}$/.test(id) && !/[. ]$/.test(id);
  return isName ? id : `id-${hash("sha256", id).slice(0, 32)}`;
}

/** True for a path that stays in the folder it is relative to, on every system. */
export function isInside(path: string): boolean {
  // A letter and a `:` at the beginning name a disk. Later in the path they are allowed, as in the
  // replacement for a name that was left out.
  if (/[\\\0]|^[A-Za-z]:/.test(path)) return false;
  return path.split("/").every((step) => step !== "" && step !== "." && step !== "..");
}
