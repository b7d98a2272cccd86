import { hash } from "node:crypto";

const extension = ".json";
// With its ending, a name, a lock's name and a draft's name fit the 255 bytes that every file
// system takes.
const maxNameBytes = 160;

/**
 * The file name of a session: `<id>.json`, with `%xx` for every byte that is not a lower-case
 * letter, digit, `.`, `_` or `-`, and for a leading dot. So no id leads out of the folder, and no
 * two ids share a name on a file system that ignores case. Long ids are hashed.
 */
export function fileNameOf(id: string): string {
  const name = [...Buffer.from(id)].map(encodedByte).join("");
  return `${name.length > maxNameBytes ? hashedName(id) : name}${extension}`;
}

/**
 * The id that a file name stands for; undefined if only the file itself says it, or it is not a
 * session's.
 */
export function idOf(fileName: string): string | undefined {
  if (!fileName.endsWith(extension)) return undefined;
  const name = fileName.slice(0, -extension.length);
  try {
    const id = decodeURIComponent(name);
    return id !== "" && fileNameOf(id) === fileName ? id : undefined;
  } catch {
    return undefined;
  }
}

/** True if the name stands for an id that only the file itself says. */
export function isHashed(fileName: string): boolean {
  return /^%~[0-9a-f]{64}\.json$/.test(fileName);
}

function encodedByte(byte: number, index: number): string {
  const character = String.fromCharCode(byte);
  const isPlain = /[a-z0-9._-]/.test(character) && !(index === 0 && character === ".");
  return isPlain ? character : `%${byte.toString(16).padStart(2, "0")}`;
}

/** `%~` begins no encoded name. */
function hashedName(id: string): string {
  return `%~${hash("sha256", id)}`;
}
