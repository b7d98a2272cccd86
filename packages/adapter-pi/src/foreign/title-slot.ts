import type { JsonObject, Micros } from "@pond/canonical";
import { isoTime } from "./log.ts";

/** The first line of a log of omp: 256 bytes, its newline among them, in which a title will stand. */
export function titleSlot(time: Micros): JsonObject {
  const slot = { type: "title", v: 1, title: "", updatedAt: isoTime(time) };
  const bytes = JSON.stringify({ ...slot, pad: "" }).length + 1;
  return { ...slot, pad: " ".repeat(slotBytes - bytes) };
}

export const slotBytes = 256;
