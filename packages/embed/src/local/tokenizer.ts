import { readFile } from "node:fs/promises";
import { ModelInvalidError } from "../errors.ts";
import { isObject, textOf } from "../json-file.ts";
import type { LocalModel } from "./local-model.ts";

export type TextTokenizer = {
  /** Token ids of a text, at most the model's `maxTokens`, including its closing tokens. */
  encode(text: string): number[];
  /** The id that fills shorter rows of a batch. */
  readonly paddingId: number;
};

/**
 * How much of a huge text is read: as much as most texts need for so many tokens, and more only if
 * that gives too few. The last number is more than the average token length of any real text. The
 * library runs out of stack at about 125,000 tokens, which a text without spaces soon has.
 */
const charactersPerToken = [8, 16, 32];
/** How many tokens before the cut may differ if a word is cut in two. */
const maxWordTokens = 128;

/** The part of the library that is used. Its own declarations do not resolve under Node's rules. */
type Library = {
  encode(text: string, options?: { add_special_tokens: boolean }): { ids: (number | undefined)[] };
  get_vocab(): Map<string, number>;
  token_to_id(token: string): number | undefined;
};

type TokenizerModel = Pick<
  LocalModel,
  "location" | "tokenizerFile" | "tokenizerConfig" | "maxTokens" | "vocabularySize"
>;

/** @throws {ModelInvalidError} if the tokenizer is not supported or does not fit the model. */
export async function loadTokenizer(model: TokenizerModel): Promise<TextTokenizer> {
  const { location, tokenizerConfig, maxTokens } = model;
  const { library, padToken } = await open(model);
  requireMatchingVocabulary(model, library);

  const encode = (text: string, add_special_tokens = true): number[] =>
    // A tokenizer without an unknown token has no id for what it does not know.
    library.encode(text, { add_special_tokens }).ids.filter((id) => id !== undefined);
  const frame = frameOf(encode("a"), encode("a", false));
  if (frame.before + frame.after >= maxTokens) {
    throw new ModelInvalidError(location, `${maxTokens} tokens leave no room for a text`);
  }
  const [paddingId = 0] = [textOf(tokenizerConfig, "pad_token"), padToken, "[PAD]", "<pad>"]
    .map((token) => (token === undefined ? undefined : library.token_to_id(token)))
    .filter((id) => id !== undefined);
  /** All tokens of a text, or more of its first tokens than reach the model. */
  const leadingTokens = (text: string): number[] => {
    let ids: number[] = [];
    for (const each of charactersPerToken) {
      const characters = maxTokens * each;
      ids = encode(text.slice(0, characters).toWellFormed());
      if (text.length <= characters || ids.length >= maxTokens + maxWordTokens) break;
    }
    return ids;
  };
  return {
    encode: (text) => {
      const ids = leadingTokens(text);
      // Without a frame an empty text has no token, and no model runs on none.
      if (ids.length === 0) return [paddingId];
      if (ids.length <= maxTokens) return ids;
      const end = ids.length - frame.after;
      return [...ids.slice(0, maxTokens - frame.after), ...ids.slice(end)];
    },
    paddingId,
  };
}

async function open({ location, tokenizerFile, tokenizerConfig }: TokenizerModel) {
  const { Tokenizer } = await import("@huggingface/tokenizers");
  const text = await readFile(tokenizerFile, "utf8");
  try {
    const file: unknown = JSON.parse(text);
    const padding = isObject(file) ? file["padding"] : undefined;
    const library: Library = new Tokenizer(Object(file), tokenizerConfig);
    return { library, padToken: isObject(padding) ? textOf(padding, "pad_token") : undefined };
  } catch (cause) {
    const reason = "tokenizer.json is damaged, or of a kind that is not supported";
    throw new ModelInvalidError(location, reason, { cause });
  }
}

/** A token without a row in the embedding table would stop the import at some message. */
function requireMatchingVocabulary(
  { location, vocabularySize }: TokenizerModel,
  library: Library,
): void {
  if (vocabularySize === undefined) return;
  let known = 0;
  for (const id of library.get_vocab().values()) known = Math.max(known, id + 1);
  if (known <= vocabularySize) return;
  const reason = `its tokenizer has ${known} tokens, the model ${vocabularySize}`;
  throw new ModelInvalidError(location, `${reason}: they do not belong together`);
}

/** How many special tokens stand before and after the text's own. */
function frameOf(framed: readonly number[], bare: readonly number[]) {
  const before = framed.findIndex((_, at) => bare.every((id, next) => framed[at + next] === id));
  return before < 0
    ? { before: 0, after: 0 }
    : { before, after: framed.length - before - bare.length };
}
