import { Buffer } from "node:buffer";
import { closeSync, openSync, writeSync } from "node:fs";
import { type JsonObject, stringifyJson } from "@pond/canonical";

/** The first line of omp's files: a title that is written over in place, always of one length. */
const slotBytes = 256;

/** @param title - Cut to what fits, never inside a character. */
export function titleSlot(title: string, source: string | undefined, updatedAt: string): string {
  for (let characters = [...title.toWellFormed()]; ; characters = characters.slice(0, -1)) {
    const named = source === undefined ? {} : { source };
    const slot = { type: "title", v: 1, title: characters.join(""), ...named, updatedAt, pad: "" };
    const line = `${stringifyJson(slot)}\n`;
    const room = slotBytes - Buffer.byteLength(line);
    if (room >= 0) return `${stringifyJson({ ...slot, pad: " ".repeat(room) })}\n`;
  }
}

export function isTitleSlot(record: JsonObject): boolean {
  return record["type"] === "title";
}

/** Writes a slot over the one of a file; nothing behind it moves. */
export function overwriteSlot(path: string, slot: string): void {
  const file = openSync(path, "r+");
  try {
    writeSync(file, slot, 0);
  } finally {
    closeSync(file);
  }
}
