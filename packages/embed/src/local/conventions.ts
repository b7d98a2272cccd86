import type { Pooling } from "../settings.ts";

export type Convention = {
  readonly pooling: Pooling;
  readonly queryPrefix: string;
  readonly passagePrefix: string;
};

const bge = { pooling: "cls", passagePrefix: "" } as const;

/** The conventions that families of models were trained with, by name. The first match counts. */
const families: readonly (readonly [RegExp, Convention])[] = [
  // Instruction-tuned models name their task in the query, and the task is not ours to guess.
  [/e5-.*instruct/, { pooling: "mean", queryPrefix: "", passagePrefix: "" }],
  [/(^|[-_/])e5([-_]|$)/, { pooling: "mean", queryPrefix: "query: ", passagePrefix: "passage: " }],
  [/bge-m3/, { ...bge, queryPrefix: "" }],
  [
    /bge-.*-en/,
    { ...bge, queryPrefix: "Represent this sentence for searching relevant passages: " },
  ],
  [/bge-.*-zh/, { ...bge, queryPrefix: "为这个句子生成表示以用于检索相关文章：" }],
  [
    /nomic-embed-text/,
    { pooling: "mean", queryPrefix: "search_query: ", passagePrefix: "search_document: " },
  ],
];

/** MiniLM and most others: the mean of the tokens, no prefixes. */
const defaultConvention: Convention = { pooling: "mean", queryPrefix: "", passagePrefix: "" };

/** How a model with one of these names wants its texts, if its folder does not say. */
export function conventionOf(names: readonly string[]): Convention {
  const lower = names.map((name) => name.toLowerCase());
  return (
    families.find(([family]) => lower.some((name) => family.test(name)))?.[1] ?? defaultConvention
  );
}
