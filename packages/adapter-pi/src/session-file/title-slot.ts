import { Buffer } from "node:buffer";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import type { JsonObject } from "@pond/canonical";
import { lineOf } from "./log.ts";

/** The length of a slot's line, including its newline. */
export const slotBytes = 256;

/**
 * The first line of omp's files: a title that is overwritten in place, always of one length.
 *
 * @param title - Cut to what fits, never inside a character.
 */
export function titleSlot(updatedAt: string, title = "", source?: string): JsonObject {
  // No more than this can fit of a title of any length.
  const characters = [...title.slice(0, slotBytes).toWellFormed()];
  for (;;) {
    const named = source === undefined ? {} : { source };
    const slot = { type: "title", v: 1, title: characters.join(""), ...named, updatedAt, pad: "" };
    const room = slotBytes - Buffer.byteLength(lineOf(slot));
    if (room >= 0) return { ...slot, pad: " ".repeat(room) };
    // A time or a source that fills it on its own comes from a file, and is not one.
    if (characters.pop() === undefined) return titleSlot("");
  }
}

export function isTitleSlot(record: JsonObject): boolean {
  return record["type"] === "title";
}

/**
 * Overwrites the slot of a file; nothing after it moves.
 *
 * @returns False if the file's first line has another length: what follows would be overwritten.
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
