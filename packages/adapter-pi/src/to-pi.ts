import type { Writer } from "@pond/canonical/adapter";
import { omp, pi } from "./dialect.ts";
import { ompTools, piTools } from "./tools.ts";
import { writeForeign } from "./write-foreign.ts";
import { writeNative } from "./write-native.ts";

/** Writes sessions as files of pi, with paths relative to its home. */
export const toPi: Writer = {
  origin: pi.origin,
  writeNative,
  writeForeign: (lineage, meanings, parents) =>
    writeForeign({ dialect: pi, tools: piTools, meanings }, lineage, parents),
};

/** Writes sessions as files of omp, with paths relative to its home. */
export const toOmp: Writer = {
  origin: omp.origin,
  writeNative,
  writeForeign: (lineage, meanings, parents) =>
    writeForeign({ dialect: omp, tools: ompTools, meanings }, lineage, parents),
};
