import type { Writer } from "@pond/canonical/adapter";
import { origin } from "./origin.ts";
import { writeForeign } from "./write-foreign.ts";
import { type Generation, writeNative } from "./write-native.ts";

/** Options of {@link opencodeWriter}. */
export type OpencodeWriterOptions = {
  /**
   * The form of native restores. Default: `same`, a tree as a tree and everything else as exports.
   * For a client that reads no tree, as none does today, a tree becomes exports, too.
   */
  readonly generation?: Generation;
};

/** Makes a writer of sessions as files of opencode. */
export function opencodeWriter({ generation = "same" }: OpencodeWriterOptions = {}): Writer {
  return {
    origin,
    writeNative: (lineage, hasFile) => writeNative(lineage, generation, hasFile),
    writeForeign,
  };
}

/** Writes sessions as files of opencode, with paths relative to its data folder. */
export const toOpencode: Writer = opencodeWriter();
