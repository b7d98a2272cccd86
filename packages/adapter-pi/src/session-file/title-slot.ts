import { Buffer } from "node:buffer";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import type { JsonObject } from "@pond/canonical";
import { lineOf } from "./log.ts";

/** How long the line of a slot is, its newline among it. */
export const slotBytes = 256;

/**
 * The first line of omp's files: a title that is written over in place, always of one length.
 *
 * @param title - Cut to what fits, never inside a character.
 */
export function titleSlot(updatedAt: string, title = "", source?: string): JsonObject {
  // Of a title of any length no more than this can fit.
  const characters = [...title.slice(0, slotBytes).toWellFormed()];
  for (;;) {
    const named = source === undefined ? {} : { source };
    const slot = { type: "title", v: 1, title: characters.join(""), ...named, updatedAt, pad: "" };
    const room = slotBytes - Buffer.byteLength(lineOf(slot));
    if (room >= 0) return { ...slot, pad: " ".repeat(room) };
    // A time or a source that fill it by themselves come from a file, and are none.
    if (characters.pop() === undefined) return titleSlot("");
  }
}

export function isTitleSlot(record: JsonObject): boolean {
  return record["type"] === "title";
}

/**
 * Writes a slot over the one of a file; nothing behind it moves.
 *
 * @returns False where the file's first line is of another length: what follows would be hit.
 */
export function overwriteSlot(path: string, slot: JsonObject): boolean {
  const file = openSync(path, "r+");
  try {
    const first = Buffer.alloc(slotBytes);
    readSync(file, first, 0, slotBytes, 0);
    if (first.indexOf("\n") !== slotBytes - 1) return false;
    writeSync(file, lineOf(slot), 0);
    return true;
  } finally {
    closeSync(file);
  }
}
