import { createRequire } from "node:module";
import { availableParallelism } from "node:os";

type Lance = typeof import("@lancedb/lancedb");

const require = createRequire(import.meta.url);

let lance: Lance | undefined;

/** How many rows the engine reads at once where a call cannot say it. */
const rowsOfBatch = "LANCE_DEFAULT_BATCH_SIZE";
const usualRows = "8192";

/** The native engine, loaded when the first store is opened: it takes 0.1 s. */
export function loadLance(): Lance {
  if (lance === undefined) {
    // Its warnings go to stderr otherwise, also for ordinary use.
    process.env["LANCEDB_LOG"] ??= "error";
    // How much text is compressed together; see schema.ts. Files say how they were written, so
    // this matters to writes alone.
    process.env["LANCE_BINARY_MINIBLOCK_CHUNK_SIZE"] ??= String(32 * 1024);
    // How far a scan reads ahead. Otherwise 2 GB: where a fold joins a million rows, the disk is
    // faster than what is done with them, and 0.2 GB lay waiting.
    process.env["LANCE_DEFAULT_IO_BUFFER_SIZE"] ??= String(32 * 1024 * 1024);
    // How many MB of words each thread gathers before it writes a part of a text index. Otherwise
    // 2048 by half as many threads as there are cores: the index of a million messages took 1 GB and
    // a third more CPU, in one part in place of seven, which are searched as fast.
    process.env["LANCE_FTS_PARTITION_SIZE"] ??= "128";
    process.env["LANCE_FTS_NUM_SHARDS"] ??= availableParallelism() < 4 ? "1" : "2";
    // The engine's own. It is there so that to change it moves nothing that a thread may be reading.
    process.env[rowsOfBatch] ??= usualRows;
    // With fewer than two no write to a folder ever ends.
    if (/^\+?0*[01]$/.test(process.env["LANCE_IO_THREADS"] ?? "")) {
      process.env["LANCE_IO_THREADS"] = "2";
    }
    const loaded: Lance = require("@lancedb/lancedb");
    lance = loaded;
  }
  return lance;
}

/** For each call that runs in small batches, how many rows these have. */
const asked: number[] = [];
let usual = usualRows;

/** Makes a call in which the engine reads so many rows at once; others meanwhile read no more. */
export async function inBatchesOf<T>(rows: number, call: () => Promise<T>): Promise<T> {
  if (asked.length === 0) usual = process.env[rowsOfBatch] ?? usualRows;
  asked.push(rows);
  setRowsOfBatch();
  try {
    return await call();
  } finally {
    asked.splice(asked.indexOf(rows), 1);
    setRowsOfBatch();
  }
}

function setRowsOfBatch(): void {
  process.env[rowsOfBatch] = asked.length > 0 ? String(Math.min(...asked)) : usual;
}

/**
 * Closes a native handle. One that a call still uses cannot be closed: it goes when the call ends,
 * and whatever error led here is not hidden behind that one.
 */
export function release(handle: { close(): void }): void {
  try {
    handle.close();
  } catch (error) {
    if (!(error instanceof Error && error.message.includes("borrow"))) throw error;
  }
}
