/**
 * Marks that turn a character or digit into an emoji, or enclose it. Other marks say how a letter
 * is written.
 */
const emojiMarks = "[\\ufe0e\\ufe0f\\p{Me}]";

/**
 * A letter, mark or digit, for a `v` pattern. The marks of an emoji do not belong to the word after
 * it: `⚠️Warning`.
 */
export const wordCharacter: string = `[[\\p{L}\\p{M}\\p{N}]--${emojiMarks}]`;

/** Runs of these: where the index cuts, except within scripts without spaces. `1️⃣` is whole. */
const wordPattern = new RegExp(`${wordCharacter}+${emojiMarks}*`, "gv");

/** Letters of scripts written without spaces between words. */
const lettersWithoutSpaces = [
  ...["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"],
  ...["Tai_Le", "New_Tai_Lue", "Tai_Tham", "Tai_Viet", "Ahom"],
  ...["Tangut", "Nushu", "Khitan_Small_Script"],
]
  .map((script) => `\\p{Script=${script}}`)
  .join("");

// In Korean there is no space between a word and its particles.
const unspaced = new RegExp(`[${lettersWithoutSpaces}\\p{Script=Hangul}]`, "u");

/**
 * One of these letters, for a `v` pattern. Where others begin the index cuts, as in `用Docker运行`.
 */
const withoutSpaces = `[${lettersWithoutSpaces}ー]`;

/**
 * {@link wordCharacter} without these letters and Hangul: what can continue a word that has none of
 * them.
 */
export const spacedWordCharacter: string = `[${wordCharacter}--[${withoutSpaces}\\p{Script=Hangul}]]`;

const piecesOfRun = new RegExp(
  `${withoutSpaces}(?:${withoutSpaces}|\\p{M})*|[^${withoutSpaces}]+`,
  "gv",
);

// Characters that the index does not take for letters: marks of Indic scripts, marks that do not
// combine with their letter, `²`.
const cutInside = /[^\p{Alphabetic}\p{Nd}]/u;
/**
 * Scripts that join letters by such a mark, or write tones with it: to the index, `थान` is in
 * `स्थान`.
 */
const joining = new RegExp(
  `[${["Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya"]
    .concat(["Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala"])
    .concat(["Balinese", "Batak", "Javanese", "Lepcha", "Limbu", "Sundanese"])
    .concat(["Meetei_Mayek", "Nko", "Saurashtra", "Syloti_Nagri"])
    .map((script) => `\\p{Script=${script}}`)
    .join("")}]`,
  "u",
);

/** True for a word that the index cuts into several, or may take as part of one. */
export function isCutByIndex(word: string): boolean {
  return cutInside.test(word) || joining.test(word);
}

let segmenter: Intl.Segmenter | undefined;

/** True if the text has a letter of a script without spaces. */
export function isUnspaced(text: string): boolean {
  return unspaced.test(text);
}

/** True for a Korean word. */
export function isHangul(word: string): boolean {
  return /^\p{Script=Hangul}+$/u.test(word);
}

/** The runs of letters, marks and digits of a text. */
export function wordRuns(text: string): string[] {
  return text.match(wordPattern) ?? [];
}

/** The words of a text as the index would cut them, in their original spelling. */
export function wordsOf(text: string): string[] {
  return wordRuns(text).flatMap((run) => {
    if (!isUnspaced(run)) return [run];
    return (run.match(piecesOfRun) ?? []).flatMap(segmentsOf);
  });
}

function segmentsOf(run: string): string[] {
  // The same dictionaries as the index: ICU's.
  segmenter ??= new Intl.Segmenter("und", { granularity: "word" });
  return [...segmenter.segment(run)].map(({ segment }) => segment);
}

// The index drops longer words.
const maxWordChars = 255;

/**
 * The words of a text between its punctuation. Whatever holds the text holds these words in a row,
 * each whole; the first and the last word of the text may be pieces of longer ones. Empty if not
 * all is ASCII, because not all punctuation of other scripts separates words, or if the index drops
 * one of the words.
 */
export function innerWords(text: string): string[] {
  if (!/^[\0-\x7f]*$/.test(text)) return [];
  const words = text.match(/(?<=[^a-z\d])[a-z\d]+(?=[^a-z\d])/gi) ?? [];
  return words.some(({ length }) => length > maxWordChars) ? [] : words;
}

/** True if the text holds a name and no other name continues at either side of it. */
export function holdsWhole(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (isUnspaced(name)) return true;
    const before = text.slice(Math.max(at - 2, 0), at + 1);
    const behind = text.slice(at + name.length - 1, at + name.length + 2);
    if (!continuesBefore.test(before) && !continuesAfter.test(behind)) return true;
  }
  return false;
}

// A character that says how letters are joined does not end a word.
const inName = `[${wordCharacter}_]`;
const joiner = "(?:(?<=[\\p{M}--\\p{Alphabetic}])[\\u200c\\u200d])?";
const besideName = `[${spacedWordCharacter}_]`;
const continuesBefore = new RegExp(`${besideName}${joiner}${inName}$`, "v");
const continuesAfter = new RegExp(`^${inName}${joiner}${besideName}`, "v");

/** The pieces of a camelCase word; none if it is in one piece. */
export function camelPieces(word: string): string[] {
  const pieces = word.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+/gu) ?? [];
  return pieces.length > 1 && /\p{Ll}\p{Lu}/u.test(word) ? [...pieces] : [];
}

/** The pieces of snake_case and kebab-case names, joined as in camelCase, in lower case. */
export function joinedPieces(text: string): string[] {
  const runs = text.match(nameRuns) ?? [];
  const names = runs.filter(
    (run) => run.length <= maxIdentifierChars && /[^_-][_-][^_-]/.test(run),
  );
  return names.map((name) => name.replaceAll(/[_-]/g, "").toLowerCase());
}

/**
 * A name in snake_case or kebab-case as it is in camelCase, in lower case; none for anything else,
 * nor for `a_b`, because two letters are in every text.
 */
export function inCamelCase(name: string): string[] {
  const isName = name.length > 3 && /^[\p{L}\p{M}\p{N}_-]+$/u.test(name);
  return isName ? joinedPieces(name) : [];
}

const nameRuns = new RegExp(`[${wordCharacter}_\\-]+`, "gv");
const maxIdentifierChars = 256;
const snakeCase = "\\p{L}[\\p{L}\\p{N}]*_[\\p{L}\\p{N}_]+";
const key = "\\p{Lu}[\\p{Lu}\\d]+-\\d+";
/** A place in a file, as editors and compilers write it. */
const line = "(?::\\d+){0,2}";
/** A word that matches one of these as a whole is an identifier. */
const identifiers = [
  snakeCase,
  "_+[\\p{L}\\p{N}_]{2,}", // __init__
  "\\p{Ll}[\\p{L}\\p{N}]*\\p{Lu}[\\p{L}\\p{N}]*", // camelCase
  "(?:[\\p{L}\\p{N}_]+(?:::|->|#)){1,}[\\p{L}\\p{N}_]+", // std::vector
  `[\\p{L}\\p{N}_][\\p{L}\\p{N}_-]*(?:\\.[\\p{L}\\p{N}_-]+)+${line}`, // file.ts:42, v1.2.3-rc.1
  `(?:~|\\.{1,2}|[A-Za-z]:)?(?:[\\\\/][\\p{L}\\p{N}@._-]+){2,}(?:[\\\\/]|${line})`, // /usr/bin, C:\\a\\b.c:7
  `[\\p{L}\\p{N}@._-]+(?:[\\\\/][\\p{L}\\p{N}@._-]+){2,}${line}`, // a/b/c
  `[\\p{L}\\p{N}@._-]+[\\\\/][\\p{L}\\p{N}._-]+\\.[\\p{L}\\p{N}]+${line}`, // src/a.ts:42:7
  // ada@lace.org, next@15.5.2, @scope/name@^1.2.3
  "(?:@[\\p{L}\\p{N}-]+/)?[\\p{L}\\p{N}._%+-]+@[~^]?[\\p{L}\\p{N}-]+(?:\\.[\\p{L}\\p{N}-]+)+",
  "\\p{L}[\\p{L}\\p{N}.-]*:\\d{4,5}", // localhost:5432
  "(?=\\S*\\*)[\\p{L}\\p{N}@._*-]*(?:/[\\p{L}\\p{N}@._*-]+)+", // src/**/*.ts
  "[\\p{L}\\p{N}._-]+@[\\p{L}\\p{N}.-]+:[\\p{L}\\p{N}./_~-]+", // git@lace.org:a/b.git
  "[\\p{L}\\p{N}.-]+(?:/[\\p{L}\\p{N}._-]+)+[:#][\\p{L}\\p{N}._-]+", // lace.org/a/b:1.2-slim, a/b#58
  "\\p{Ll}[\\p{Ll}\\d+.-]*://\\S+", // a URL
  "-{0,2}[\\p{L}_][\\p{L}\\p{N}_.-]+=[^=\\s]+", // NAME=1, --name=1
  "[\\p{L}\\p{N}_]+(?:(?:\\?|!!)\\.[\\p{L}\\p{N}_]+)+", // a?.b
  "[\\p{L}_][\\p{L}\\p{N}_.]*\\[(?:\\d+|[\\p{L}\\p{N}_]{2,})\\]?", // a[42], error[E0382]
  "\\p{L}[\\p{L}\\p{N}_:]*<[\\p{L}\\p{N}_:<>,]+", // Vec<Name>
  key, // POND-58, UTF-8
  "\\p{Lu}{1,6}\\d{3,}", // TS2345
  "\\d{1,3}(?:[,'’_]\\d{3}){2,}", // 1,234,567
  "0[xX][\\da-fA-F]{2,}",
  "#(?=[a-fA-F]*\\d)(?=\\d*[a-fA-F])[\\da-fA-F]{6,8}", // a colour
  "[\\da-fA-F]{1,4}(?:::?[\\da-fA-F]{1,4}){3,7}", // parts of an IPv6 address, a MAC address
  "\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}[\\d:.+Z-]*", // a time
  "(?=\\S*\\d)(?=\\S*[a-z])(?=\\S*[A-Z])[\\da-zA-Z+/_-]{16,}={0,2}", // a key, base64
  "\\.\\p{Ll}[\\p{Ll}\\p{N}_-]{4,}", // .gitignore, .filter
  "[.#]?[\\p{L}\\p{N}]+(?:[_-]{1,2}[\\p{L}\\p{N}]+){2,}", // .block-name__part--big
  "[\\p{L}\\p{N}]+(?:-[\\p{L}\\p{N}]+){2,}", // a-b-c, a uuid
  "(?=[a-f]*\\d)(?=\\d*[a-f])[\\da-f]{7,128}", // 9f8e7d6: a commit hash, whole or its beginning
  "(?=[A-F]*\\d)(?=\\d*[A-F])[\\dA-F]{7,128}",
  "--?[\\p{L}][\\p{L}\\p{N}-]+", // --flag
  "@[\\p{L}\\p{N}-]+/[\\p{L}\\p{N}-]+", // @scope/name
];

let identifier: RegExp | undefined;
/** A word of prose, which matches none of these. */
const plainWord = /^[A-Za-z][a-z]*$/;

// With three letters, `a_b` is an identifier, but `iOS` or `1.5` is not.
const shortIdentifier = new RegExp(`^${snakeCase}$`, "u");

/** True for a word that looks like a name in a program: it is searched exactly as it stands. */
export function isIdentifier(word: string): boolean {
  if (word.length > maxIdentifierChars || plainWord.test(word)) return false;
  if (word.length < 4) return isShortName(word);
  // Made for the first word that may be one: with all its tables of letters that takes 25 ms.
  identifier ??= new RegExp(`^(?:${identifiers.join("|")})$`, "u");
  return identifier.test(word);
}

/**
 * True for the name of a type, `ThreePiecesOrMore`. Names of two pieces may be brands, such as
 * GitHub.
 */
export function isTypeName(word: string, { pieces }: { readonly pieces: number }): boolean {
  return /^\p{Lu}[\p{L}\p{N}]*$/u.test(word) && camelPieces(word).length >= pieces;
}

/**
 * True for words joined by punctuation, such as `react-query`, `a/b`, `1:2`: in a sentence prose is
 * written like that too. An apostrophe belongs to its word, and in a script without spaces
 * punctuation stands between sentences.
 */
export function isJoined(word: string): boolean {
  return word.length <= maxIdentifierChars && joined.test(word) && !isUnspaced(word);
}

const joined = /[\p{L}\p{M}\p{N}][^\p{L}\p{M}\p{N}\s'’]+[\p{L}\p{N}]/u;

/**
 * True for `C++`, `C#`, `#58`, `!58` and the like: the index knows only their letters and digits.
 */
export function needsPunctuation(word: string): boolean {
  return /^\p{L}[\p{L}\p{N}]{0,31}(?:\+\+|#)$/u.test(word) || isNumbered(word);
}

/** True for `#58` and `!58`. */
function isNumbered(word: string): boolean {
  return /^[#!]\d{1,9}$/.test(word);
}

/** True for `a_b`, which is a part of many longer names. */
export function isShortName(word: string): boolean {
  return word.length < 4 && shortIdentifier.test(word);
}

const wholeKey = new RegExp(`^${key}$`, "u");

/** True for `POND-58` and `UTF-8`, whose words the index knows in a row. */
export function isKey(word: string): boolean {
  return wholeKey.test(word);
}

/**
 * True for a text that is only searched by itself: as part of a longer number or name it is a
 * different one.
 */
export function matchesOnlyWhole(word: string): boolean {
  return isNumbered(word) || isShortName(word) || isKey(word);
}
