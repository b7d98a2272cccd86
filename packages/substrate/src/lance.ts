import { createRequire } from "node:module";

type Lance = typeof import("@lancedb/lancedb");

const require = createRequire(import.meta.url);

let lance: Lance | undefined;

/** The native engine, loaded when the first store is opened: it takes 0.1 s. */
export function loadLance(): Lance {
  if (lance === undefined) {
    // Its warnings go to stderr otherwise, also for ordinary use.
    process.env["LANCEDB_LOG"] ??= "error";
    // How much text is compressed together; see schema.ts. Files say how they were written, so
    // this matters to writes alone.
    process.env["LANCE_BINARY_MINIBLOCK_CHUNK_SIZE"] ??= String(32 * 1024);
    const loaded: Lance = require("@lancedb/lancedb");
    lance = loaded;
  }
  return lance;
}
