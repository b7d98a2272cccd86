import type { Writer } from "@pond/canonical/adapter";
import { origin } from "./origin.ts";
import { writeForeign } from "./write-foreign.ts";
import { writeNative } from "./write-native.ts";

/** Writes sessions as files of Codex, with paths relative to its home. */
export const toCodex: Writer = { origin, writeNative, writeForeign };
