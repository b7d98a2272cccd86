import type { Writer } from "@pond/canonical/adapter";
import { origin } from "./origin.ts";
import { writeForeign } from "./write-foreign.ts";
import { writeNative } from "./write-native.ts";

/** Writes sessions as phi-core keeps them. */
export const toPhiCore: Writer = { origin, writeNative, writeForeign };
