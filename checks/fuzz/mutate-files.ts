import type { Random } from "../chaos/random.ts";
import { mutateJson } from "./mutate-json.ts";
import { oddText } from "./odd-values.ts";

/** Files by path: relative, `/`-separated. */
export type Files = ReadonlyMap<string, Buffer>;

/** The form of one kind of file: lines of JSON, or one JSON value. */
export type IsLines = (path: string) => boolean;

/** Files with one to four changes. */
export function mutateFiles(files: Files, isLines: IsLines, random: Random): Files {
  const changed = new Map(files);
  for (let left = 1 + random.below(4); left > 0; left--) mutateOne(changed, isLines, random);
  return changed;
}

function mutateOne(files: Map<string, Buffer>, isLines: IsLines, random: Random): void {
  const paths = [...files.keys()];
  const path = paths[random.below(paths.length)];
  if (path === undefined) return;
  const bytes = files.get(path) ?? Buffer.alloc(0);
  if (random.isIn(0.03)) mutateFolder(files, path, random);
  else if (random.isIn(0.15)) files.set(path, mutateBytes(bytes, random));
  else if (isLines(path)) files.set(path, mutateLines(bytes, random));
  else files.set(path, Buffer.from(mutateJson(bytes.toString(), random)));
}

/** One file is gone, empty, duplicated, or in another's place. */
function mutateFolder(files: Map<string, Buffer>, path: string, random: Random): void {
  const bytes = files.get(path) ?? Buffer.alloc(0);
  const paths = [...files.keys()];
  const other = paths[random.below(paths.length)] ?? path;
  switch (random.below(4)) {
    case 0:
      files.delete(path);
      break;
    case 1:
      files.set(path, Buffer.alloc(0));
      break;
    case 2:
      files.set(path.replace(/([^/]*)$/, "copy of $1"), bytes);
      break;
    default:
      files.set(other, bytes);
  }
}

/** Bytes with one change. */
export function mutateBytes(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  switch (random.below(8)) {
    case 0: {
      const flipped = Buffer.from(bytes);
      if (at < flipped.length) flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
      return flipped;
    }
    case 1:
      return bytes.subarray(0, at);
    case 2:
      return bytes.subarray(at);
    case 3:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.alloc(1 + random.below(40)),
        bytes.subarray(at),
      ]);
    case 4:
      return Buffer.concat([Buffer.from("\ufeff"), bytes]);
    case 5:
      return Buffer.from(bytes.toString("latin1").replaceAll("\n", "\r\n"), "latin1");
    case 6:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(Array.from({ length: 1 + random.below(8) }, () => random.below(256))),
        bytes.subarray(at),
      ]);
    default: {
      const end = Math.min(bytes.length, at + random.below(200));
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
    }
  }
}

function mutateLines(bytes: Buffer, random: Random): Buffer {
  // One character for each byte, so that invalid UTF-8 stays as it is.
  const lines = bytes.toString("latin1").split("\n");
  const at = random.below(lines.length);
  const line = lines[at] ?? "";
  const other = random.below(lines.length);
  switch (random.below(14)) {
    case 0:
      lines.splice(at, 1);
      break;
    case 1:
      lines.splice(other, 0, line);
      break;
    case 2:
      [lines[at], lines[other]] = [lines[other] ?? "", line];
      break;
    case 3:
      lines[at] = line.slice(0, random.below(line.length + 1));
      break;
    case 4:
      lines[at] = `${random.isIn(0.5) ? "\0\0" : ""}${line}\0`;
      break;
    case 5:
      lines.splice(at, 0, random.isIn(0.5) ? " \t" : oddText(random));
      break;
    case 6:
      lines[at] = `${line}${line}`;
      break;
    case 7:
      // Few lines take less time, and most mistakes need few.
      lines.splice(2 + random.below(8), Number.POSITIVE_INFINITY);
      if (random.isIn(0.7)) lines.push("");
      break;
    default: {
      const changed = mutateJson(Buffer.from(line, "latin1").toString(), random);
      lines[at] = Buffer.from(changed).toString("latin1");
    }
  }
  return Buffer.from(lines.join("\n"), "latin1");
}
