/** What makes an emoji of a sign or a digit, or surrounds it. Others say how a letter is written. */
const emojiMarks = "[\\ufe0e\\ufe0f\\p{Me}]";

/**
 * A letter, mark or digit, for a `v` pattern. The marks of an emoji are no part of the word behind it:
 * `⚠️Warning`.
 */
export const inWord: string = `[[\\p{L}\\p{M}\\p{N}]--${emojiMarks}]`;

/** Runs of these: where the index cuts, but within scripts without spaces. `1️⃣` is whole. */
const wordPattern = new RegExp(`${inWord}+${emojiMarks}*`, "gv");

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

/** One of them, for a `v` pattern: where others begin the index cuts, as in `用Docker运行`. */
const withoutSpaces = `[${lettersWithoutSpaces}ー]`;

/** {@link inWord} without these and Hangul: what goes on with a word that has none of them. */
export const inSpacedWord: string = `[${inWord}--[${withoutSpaces}\\p{Script=Hangul}]]`;

const piecesOfRun = new RegExp(
  `${withoutSpaces}(?:${withoutSpaces}|\\p{M})*|[^${withoutSpaces}]+`,
  "gv",
);

// What is no letter to it: marks of Indic scripts, marks that make no one letter with theirs, `²`.
const cutInside = /[^\p{Alphabetic}\p{Nd}]/u;
/** Scripts that join letters by such a mark, or write tones so: to the index `थान` is in `स्थान`. */
const joining = new RegExp(
  `[${["Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya"]
    .concat(["Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala"])
    .concat(["Balinese", "Batak", "Javanese", "Lepcha", "Limbu", "Sundanese"])
    .concat(["Meetei_Mayek", "Nko", "Saurashtra", "Syloti_Nagri"])
    .map((script) => `\\p{Script=${script}}`)
    .join("")}]`,
  "u",
);

/** True for a word that is several to the index, or may be one of several. */
export function isCutByIndex(word: string): boolean {
  return cutInside.test(word) || joining.test(word);
}

let segmenter: Intl.Segmenter | undefined;

/** True where the text has a letter of a script without spaces. */
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

/** The words of a text as the index would cut them, as they are written. */
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

// Longer ones the index drops.
const longestWord = 256;

/**
 * The words of a text between its signs: whatever holds the text holds them in a row, and each whole,
 * where the first and the last may be pieces of longer ones. None where not all is ASCII, for signs of
 * other scripts do not all part words, nor where the index drops one.
 */
export function innerWords(text: string): string[] {
  if (!/^[\0-\x7f]*$/.test(text)) return [];
  const words = text.match(/(?<=[^a-z\d])[a-z\d]+(?=[^a-z\d])/gi) ?? [];
  return words.some(({ length }) => length > longestWord) ? [] : words;
}

/** True where the text holds a name and no other goes on at either side of it. */
export function holdsWhole(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (isUnspaced(name)) return true;
    const before = text.slice(Math.max(at - 2, 0), at + 1);
    const behind = text.slice(at + name.length - 1, at + name.length + 2);
    if (!goesOnBefore.test(before) && !goesOnBehind.test(behind)) return true;
  }
  return false;
}

// What says how letters are joined is no end of a word.
const inName = `[${inWord}_]`;
const joiner = "(?:(?<=[\\p{M}--\\p{Alphabetic}])[\\u200c\\u200d])?";
const besideName = `[${inSpacedWord}_]`;
const goesOnBefore = new RegExp(`${besideName}${joiner}${inName}$`, "v");
const goesOnBehind = new RegExp(`^${inName}${joiner}${besideName}`, "v");

/** The pieces of a camelCase word; none where it is in one piece. */
export function camelPieces(word: string): string[] {
  const pieces = word.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+/gu) ?? [];
  return pieces.length > 1 && /\p{Ll}\p{Lu}/u.test(word) ? [...pieces] : [];
}

/** The words that the pieces of snake_case and kebab-case names are in camelCase, in lower case. */
export function joinedPieces(text: string): string[] {
  const runs = text.match(nameRuns) ?? [];
  const names = runs.filter((run) => run.length <= longestIdentifier && /[^_-][_-][^_-]/.test(run));
  return names.map((name) => name.replaceAll(/[_-]/g, "").toLowerCase());
}

/**
 * What a name in snake_case or kebab-case is in camelCase, in lower case; none of anything else, nor of
 * `a_b`, for two letters are in every text.
 */
export function inCamelCase(name: string): string[] {
  const isName = name.length > 3 && /^[\p{L}\p{M}\p{N}_-]+$/u.test(name);
  return isName ? joinedPieces(name) : [];
}

const nameRuns = new RegExp(`[${inWord}_\\-]+`, "gv");
const longestIdentifier = 256;
const snakeCase = "\\p{L}[\\p{L}\\p{N}]*_[\\p{L}\\p{N}_]+";
const key = "\\p{Lu}[\\p{Lu}\\d]+-\\d+";
/** Where in a file, as editors and compilers say it. */
const line = "(?::\\d+){0,2}";
/** A word that is one of these, whole, is an identifier. */
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
  "[\\p{L}\\p{N}._-]+@[\\p{L}\\p{N}.-]+:[\\p{L}\\p{N}./_~-]+", // git@lace.org:a/b.git
  "[\\p{L}\\p{N}.-]+(?:/[\\p{L}\\p{N}._-]+)+[:#][\\p{L}\\p{N}._-]+", // lace.org/a/b:1.2-slim, a/b#58
  "\\p{Ll}[\\p{Ll}\\d+.-]*://\\S+", // an address
  "-{0,2}[\\p{L}_][\\p{L}\\p{N}_.-]+=[^=\\s]+", // NAME=1, --name=1
  "[\\p{L}\\p{N}_]+(?:(?:\\?|!!)\\.[\\p{L}\\p{N}_]+)+", // a?.b
  "[\\p{L}_][\\p{L}\\p{N}_.]*\\[(?:\\d+|[\\p{L}\\p{N}_]{2,})\\]?", // a[42], error[E0382]
  "\\p{L}[\\p{L}\\p{N}_:]*<[\\p{L}\\p{N}_:<>,]+", // Vec<Name>
  key, // POND-58, UTF-8
  "\\p{Lu}{1,6}\\d{3,}", // TS2345
  "0[xX][\\da-fA-F]{2,}",
  "#(?=[a-fA-F]*\\d)(?=\\d*[a-fA-F])[\\da-fA-F]{6,8}", // a colour
  "[\\da-fA-F]{1,4}(?:::?[\\da-fA-F]{1,4}){3,7}", // of IPv6, a MAC address
  "\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}[\\d:.+Z-]*", // a time
  "(?=\\S*\\d)(?=\\S*[a-z])(?=\\S*[A-Z])[\\da-zA-Z+/_-]{16,}={0,2}", // a key, base64
  "[.#]?[\\p{L}\\p{N}]+(?:[_-]{1,2}[\\p{L}\\p{N}]+){2,}", // .block-name__part--big
  "[\\p{L}\\p{N}]+(?:-[\\p{L}\\p{N}]+){2,}", // a-b-c, a uuid
  "(?=[a-f]*\\d)(?=\\d*[a-f])[\\da-f]{7,128}", // 9f8e7d6, of a commit the whole or the beginning
  "(?=[A-F]*\\d)(?=\\d*[A-F])[\\dA-F]{7,128}",
  "--?[\\p{L}][\\p{L}\\p{N}-]+", // --flag
  "@[\\p{L}\\p{N}-]+/[\\p{L}\\p{N}-]+", // @scope/name
];

let identifier: RegExp | undefined;
/** Words of prose, which none of these is. */
const plainWord = /^[A-Za-z][a-z]*$/;

// Of three letters `iOS` or `1.5` are none, but `a_b` is.
const shortIdentifier = new RegExp(`^${snakeCase}$`, "u");

/** True for what a program would call something: it is looked for exactly as it stands. */
export function isIdentifier(word: string): boolean {
  if (word.length > longestIdentifier || plainWord.test(word)) return false;
  if (word.length < 4) return isShortName(word);
  // Made for the first word that may be one: with all its tables of letters that takes 25 ms.
  identifier ??= new RegExp(`^(?:${identifiers.join("|")})$`, "u");
  return identifier.test(word);
}

/** True for the name of a type, `ThreePiecesOrMore`: of two pieces are brands too, as GitHub is. */
export function isTypeName(word: string, { pieces }: { readonly pieces: number }): boolean {
  return /^\p{Lu}[\p{L}\p{N}]*$/u.test(word) && camelPieces(word).length >= pieces;
}

/**
 * True for what signs join, as `react-query`, `a/b`, `1:2`: in a sentence prose is written so too. An
 * apostrophe is a part of a word, and in a script without spaces signs are between sentences.
 */
export function isJoined(word: string): boolean {
  return word.length <= longestIdentifier && joined.test(word) && !isUnspaced(word);
}

const joined = /[\p{L}\p{M}\p{N}][^\p{L}\p{M}\p{N}\s'’]+[\p{L}\p{N}]/u;

/** True for `C++`, `C#`, `#58`, `!58` and the like: the index knows nothing but what is no sign. */
export function needsSigns(word: string): boolean {
  return /^\p{L}[\p{L}\p{N}]{0,31}(?:\+\+|#)$/u.test(word) || isNumbered(word);
}

/** True for `#58` and `!58`. */
function isNumbered(word: string): boolean {
  return /^[#!]\d{1,9}$/.test(word);
}

/** True for `a_b`, which is a part of many a longer name. */
export function isShortName(word: string): boolean {
  return word.length < 4 && shortIdentifier.test(word);
}

const wholeKey = new RegExp(`^${key}$`, "u");

/** True for `POND-58` and `UTF-8`, of which the index knows the words in a row. */
export function isKey(word: string): boolean {
  return wholeKey.test(word);
}

/** True for what is looked for by itself alone: as a part of a longer number or name it is another. */
export function isNoPart(word: string): boolean {
  return isNumbered(word) || isShortName(word) || isKey(word);
}
