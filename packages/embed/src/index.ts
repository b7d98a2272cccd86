export type { Embedder, EmbedKind, EmbedLimits, EmbedOptions } from "./embedder.ts";
