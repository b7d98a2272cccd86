import { createRequire } from "node:module";
import { availableParallelism } from "node:os";

type Lance = typeof import("@lancedb/lancedb");

const require = createRequire(import.meta.url);

let lance: Lance | undefined;

/** The variable for how many rows the engine reads at once if a call cannot say it. */
const batchSizeVariable = "LANCE_DEFAULT_BATCH_SIZE";
const defaultBatchSize = "8192";

/** Loads the native engine when the first store is opened, which takes 0.1 s. */
export function loadLance(): Lance {
  if (lance === undefined) {
    // Otherwise its warnings go to stderr, even in ordinary use, and one for each try of a
    // connection whose certificate is not trusted, which the error says.
    process.env["LANCEDB_LOG"] ??= "error,rustls_platform_verifier=off";
    // How much text is compressed together; see schema.ts. Files say how they were written, so this
    // only affects writes.
    process.env["LANCE_BINARY_MINIBLOCK_CHUNK_SIZE"] ??= String(32 * 1024);
    // How far a scan reads ahead. The default is 2 GB: where a fold joins a million rows, the disk
    // is faster than the processing, and 0.2 GB lay waiting.
    process.env["LANCE_DEFAULT_IO_BUFFER_SIZE"] ??= String(32 * 1024 * 1024);
    // How many MB of words each thread gathers before it writes a part of a text index. The default
    // is 2048, for half as many threads as there are cores: the index of a million messages took 1
    // GB and a third more CPU, in one part instead of seven, which are searched as fast.
    process.env["LANCE_FTS_PARTITION_SIZE"] ??= "128";
    process.env["LANCE_FTS_NUM_SHARDS"] ??= availableParallelism() < 4 ? "1" : "2";
    // The engine's own default. Set here, so that changing it moves nothing that a thread may be
    // reading.
    process.env[batchSizeVariable] ??= defaultBatchSize;
    // With fewer than two, a write to a folder never ends.
    if (/^\+?0*[01]$/.test(process.env["LANCE_IO_THREADS"] ?? "")) {
      process.env["LANCE_IO_THREADS"] = "2";
    }
    const loaded: Lance = require("@lancedb/lancedb");
    lance = loaded;
  }
  return lance;
}

/** For each running call with small batches, its number of rows. */
const activeBatchSizes: number[] = [];
let configuredBatchSize = defaultBatchSize;

/**
 * Makes a call in which the engine reads so many rows at once. Concurrent calls read no more,
 * either.
 */
export async function withBatchSize<T>(rows: number, call: () => Promise<T>): Promise<T> {
  if (activeBatchSizes.length === 0)
    configuredBatchSize = process.env[batchSizeVariable] ?? defaultBatchSize;
  activeBatchSizes.push(rows);
  applyBatchSize();
  try {
    return await call();
  } finally {
    activeBatchSizes.splice(activeBatchSizes.indexOf(rows), 1);
    applyBatchSize();
  }
}

function applyBatchSize(): void {
  process.env[batchSizeVariable] =
    activeBatchSizes.length > 0 ? String(Math.min(...activeBatchSizes)) : configuredBatchSize;
}

/**
 * Closes a native handle. A handle that a call still uses cannot be closed: it is released when the
 * call ends. That error does not hide the one that led here.
 */
export function release(handle: { close(): void }): void {
  try {
    handle.close();
  } catch (error) {
    if (!(error instanceof Error && error.message.includes("borrow"))) throw error;
  }
}
