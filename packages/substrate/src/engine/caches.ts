import type { Session } from "@lancedb/lancedb";
import { loadLance } from "./lance.ts";

/** The most that is kept in memory of indexes and of metadata. */
export type CacheSizes = {
  /** Of opened indexes, so far as they are used. Default 512 MiB: that of a million messages is 413. */
  readonly indexBytes?: number;
  /** Of manifests and file footers. Default 128 MiB. */
  readonly metadataBytes?: number;
};

const defaults = { indexBytes: 512 * 1024 * 1024, metadataBytes: 128 * 1024 * 1024 } as const;

/** What is kept in memory of stores: several may share it, and then its limits. */
export class Caches {
  /** The engine's side of it. */
  readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  /** Bytes in use. */
  get bytes(): number {
    return Number(this.session.sizeBytes());
  }
}

/** One pool of caches (spec 3.4), for a process that opens many stores. */
export function createCaches(sizes: CacheSizes = {}): Caches {
  const { indexBytes, metadataBytes } = { ...defaults, ...sizes };
  const { Session } = loadLance();
  return new Caches(new Session(BigInt(indexBytes), BigInt(metadataBytes)));
}
