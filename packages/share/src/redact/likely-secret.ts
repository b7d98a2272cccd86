const placeholderPattern =
  /^(?:[$%<{*]|\[[-^\\]{0,2}(?:redacted|a-z|0-9)|&(?:lt|#x3c|#60);|process\.env|os\.environ|env[.(]|x{3}|\.{3}|your|example|change.?me|placeholder|dummy|null$|undefined$|true$|false$|none$)/i;
const isJoinedWords = /^(?:[a-z]+\d{0,2}|\d{1,3})(?:[-_./:](?:[a-z]+\d{0,2}|\d{1,3}))*$/i;
const isCodePath = /^[a-z_$][\w$]{0,23}(?:\.[a-z_$][\w$]{0,23})+$/i;
const isCall = /^[a-z_$][\w$.]{0,80}[([]/i;
const isVersion = /^[~^v]?\d{1,4}(?:\.\d{1,4})+(?:-[\w.]{1,20})?$/;
/** `@octokit/auth-token@6.0.0` */
const isPackage =
  /^(?:@[\w.-]{1,60}\/)?[a-z][\w.-]{0,80}@\d{1,4}(?:\.\d{1,4}){2}(?:-[\w.]{1,20})?$/;
// A sentence in these scripts has no spaces.
const isProse = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]/u;

// Each alternative begins where the one before cannot continue, so there is only one way to match.
const wordsPattern =
  /^(?=.*[a-z]{3})(?:[A-Z][a-z]{2,}|(?<![A-Za-z])[a-z]{3,}|(?<![A-Z])[A-Z]{2,}|(?<!\d)\d{1,3}[a-z]?|[-_.])+$/;

/** Whether a text is made of words, as names in code are. */
export function isMadeOfWords(text: string): boolean {
  return wordsPattern.test(text);
}

/** Whether a text is a variable, a placeholder, or one that says "put yours here". */
export function isPlaceholder(text: string): boolean {
  return placeholderPattern.test(text);
}

/** What is known about a value besides its text. */
export type ValueTraits = {
  /**
   * What its name says. A person chose a password, so it may be short and made of words. A value
   * named only `pass` is a password only if it looks like one.
   */
  readonly kind: "password" | "pass" | "key";
  /** True for a literal: in quotes, or after `NAME=` as in an `.env` file. */
  readonly isLiteral: boolean;
};

/** Whether a value with the name of a secret is a secret, and not a word, a path or code. */
export function isLikelySecret(value: string, { kind, isLiteral }: ValueTraits): boolean {
  if (value.length < 6 || isPlaceholder(value) || /\s/.test(value)) return false;
  if (isVersion.test(value) || isPackage.test(value) || isProse.test(value)) return false;
  const hasDigit = /\d/.test(value);
  const hasLower = /[a-z]/.test(value);
  const hasUpper = /[A-Z]/.test(value);
  const isMixed = hasDigit && hasLower && hasUpper;
  if (/^https?:\/\/[^@]*$/.test(value)) return false;
  if (/^(?:~|\.{1,2})?\/|^[a-z+]+:\/\//.test(value) && !isMixed) return false;
  if (!isLiteral && (isCodePath.test(value) || isCall.test(value))) return false;
  if (kind === "password") {
    if (isLiteral) return hasDigit || /[^A-Za-z0-9]/.test(value) || value.length >= 16;
    return hasDigit && (hasLower || hasUpper);
  }
  if (kind === "pass") {
    const isCode = !isLiteral && /[()[\]{}<>:]/.test(value);
    return isMixed && !isCode && !isJoinedWords.test(value) && entropy(value) >= 3;
  }
  if (value.length < 12 || isJoinedWords.test(value)) return false;
  if (hasDigit) return (hasLower || hasUpper) && entropy(value) >= 3;
  return value.length >= 20 && hasLower && hasUpper && entropy(value) >= 4;
}

/** Whether a value looks so random that it can only be a copied secret, whatever its name. */
export function isRandomLooking(value: string): boolean {
  if (value.length < 8 || isPlaceholder(value) || !/^[\w+/=.~!@#$%^&*-]+$/.test(value))
    return false;
  if (
    /^(?:[~.]?\/|[a-z]{2,10}:)/.test(value) ||
    isMadeOfWords(value) ||
    isJoinedWords.test(value)
  ) {
    return false;
  }
  const isMixed = /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);
  const turns = value.match(/[a-z](?=[^a-z])|[A-Z](?=[^A-Z])|\d(?=\D)/g)?.length ?? 0;
  const ofWords = value.match(/[A-Z]?[a-z]{2,}/g)?.join("").length ?? 0;
  const isScattered = turns >= value.length / 3 && ofWords < value.length / 2;
  return isMixed && isScattered && entropy(value) >= 3;
}

/** The Shannon entropy of the first 256 characters, in bits a character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  const sample = text.slice(0, 256);
  for (const character of sample) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) {
    const share = count / sample.length;
    bits -= share * Math.log2(share);
  }
  return bits;
}
