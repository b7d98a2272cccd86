import { specialTokens } from "./vocabulary.ts";

/** `tokenizer.json` of a BERT-style WordPiece model over bytes: [CLS] ... [SEP], lower case. */
export function tokenizerFile(vocabulary: readonly string[]): object {
  const special = (id: string, type_id: number) => ({ SpecialToken: { id, type_id } });
  const sequence = (id: string, type_id: number) => ({ Sequence: { id, type_id } });
  const template = (token: string) => ({
    id: token,
    ids: [vocabulary.indexOf(token)],
    tokens: [token],
  });
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: specialTokens.map((content) => ({
      id: vocabulary.indexOf(content),
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: false,
      lowercase: true,
    },
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "BertPreTokenizer" },
        { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: false },
      ],
    },
    post_processor: {
      type: "TemplateProcessing",
      single: [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0)],
      pair: [
        special("[CLS]", 0),
        sequence("A", 0),
        special("[SEP]", 0),
        sequence("B", 1),
        special("[SEP]", 1),
      ],
      special_tokens: { "[CLS]": template("[CLS]"), "[SEP]": template("[SEP]") },
    },
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 400,
      vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
    },
  };
}
