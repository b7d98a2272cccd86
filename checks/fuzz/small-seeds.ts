import { isJsonObject, type JsonValue, parseJson, stringifyJson } from "@pond/canonical";
import type { Files, IsLines } from "./mutate-files.ts";

const linesTogether = 6;
const entriesTogether = 2;

/** Pieces of well-formed files, each of one file: most mistakes show with a small piece. */
export function smallSeeds(files: Files, isLines: IsLines): readonly Files[] {
  return [...files].flatMap(([path, bytes]) => {
    const pieces = isLines(path) ? piecesOfLog(bytes) : piecesOfDocument(path, bytes);
    return pieces.map((piece) => new Map([[path, piece]]));
  });
}

/** The first line, which may be a header, and some of the others. */
function piecesOfLog(bytes: Buffer): readonly Buffer[] {
  const [first = "", ...lines] = bytes.toString("latin1").split("\n");
  const pieces: Buffer[] = [];
  for (let at = 0; at < lines.length; at += linesTogether) {
    const piece = [first, ...lines.slice(at, at + linesTogether)].join("\n");
    pieces.push(Buffer.from(`${piece}\n`, "latin1"));
  }
  return pieces;
}

/** Everything except its list, with some entries of the list. */
function piecesOfDocument(path: string, bytes: Buffer): readonly Buffer[] {
  const document = path.endsWith(".json") ? parsed(bytes) : undefined;
  if (!isJsonObject(document)) return [];
  return Object.entries(document).flatMap(([key, list]) => {
    if (!Array.isArray(list) || list.length <= entriesTogether) return [];
    return list.flatMap((_: JsonValue, at) => {
      if (at % entriesTogether !== 0) return [];
      const entries = list.slice(at, at + entriesTogether);
      return [Buffer.from(stringifyJson({ ...document, [key]: entries }))];
    });
  });
}

function parsed(bytes: Buffer): JsonValue | undefined {
  try {
    return parseJson(bytes.toString());
  } catch {
    return undefined;
  }
}
