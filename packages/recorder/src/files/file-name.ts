import { hash } from "node:crypto";

const extension = ".json";
// A name with the ending, a lock's and a draft's fits the 255 bytes of every file system.
const maxNameBytes = 160;

/**
 * The file of a session in its folder: `<id>.json`, with `%xx` for every byte that is no lower-case
 * letter, digit, `.`, `_` or `-`, and for a leading dot. So no id leads out of the folder, and none
 * is another's on a file system that does not tell upper case from lower. Long ids are hashed.
 */
export function fileNameOf(id: string): string {
  const name = [...Buffer.from(id)].map(encodedByte).join("");
  return `${name.length > maxNameBytes ? hashedName(id) : name}${extension}`;
}

/** The id a file name stands for; undefined where only the file itself says, or none does. */
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

/** True where the name stands for an id that only the file says. */
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
