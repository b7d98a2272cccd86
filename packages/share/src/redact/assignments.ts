import {
  isLikelySecret,
  isMadeOfWords,
  isRandomLooking,
  type ValueTraits,
} from "./likely-secret.ts";
import type { Rule } from "./rule.ts";

const rule = "assigned-secret";
const words =
  "passwd|password|passwort|passphrase|passcode|pwd|kennwort|mot de passe|contraseña|senha|пароль|密码|密碼|パスワード|requirepass|masterauth";
/** Words whose `_PASS` or `pw` is a password. */
const owners =
  "admin|auth|database|db|ftp|imap|ldap|login|mail|mongo|mysql|pg|postgres|proxy|redis|root|smtp|sql|ssh|sudo|user";
const passwords = `${words}|(?<![\\w-])psk(?!\\w)|(?:${owners})[_-]?(?:pass|pw)(?![a-z])`;
// On its own, `pass` may also mean that a test passed, or one run over something.
const barePass = "(?<![a-z])pass(?![a-z])";
/** Words whose `key` is a secret. */
const keys =
  "access|account|aes|api|app|application|auth|client|decryption|deploy|encryption|fernet|functions|hmac|license|master|preshared|private|root|secret|server|session|shared|signing|storage|subscription|unseal|validation|webhook";
const names = `(?:${keys})[_ -]?key|${passwords}|${barePass}|secret|token|credentials?`;
const prefixes = [words, owners, keys, "psk|pass|secret|token|credential"].flatMap((each) =>
  each.split("|"),
);
const secretName = new RegExp(names, "iy");
const isPasswordName = new RegExp(passwords, "i");
/** `PASS: TestParse2Times`, as test runners write, if the name of a test or words follow. */
const verdict = /(?<![\w-])PASS:/y;
const isTestName = /^Test[A-Z_]|\/|::/;
const quote = String.raw`\\{0,8}["'\x60]`;
const openingQuote = String.raw`(?:\\{0,8}(["'\x60])(?:""[ \t]*\r?\n?)?)?`;
/** `_PROD`, `1`, a closing quote or bracket, asterisks of bold text, the brackets of an array. */
const restOfName = String.raw`(?:[_-][A-Za-z0-9]{1,24}){0,4}(?: ?\d{1,3})?(?:${quote}|\]){0,2}\*{0,2}(?:\[\w{0,8}\])?`;
/** What may stand between a name and its sign: one of these. */
const betweenNameAndSign = [
  // `value`, or the field of that name after a `name`.
  String.raw`,?\s{0,40}(?:\\{0,8}["'])?\b[vV]alue(?:\\{0,8}["'])?(?=\s?:)`,
  // A type before a `=`.
  String.raw`[ \t]{0,40}(?::\s?[^\s:=;"'\x60(){}\\][^:=;"'\x60(){}\\\n]{0,30}|\s{1,4}(?:value|[sS]tring)|\s?\{ get; (?:init|set); \})\s{0,2}(?=[ \t]=|=[ \t]?${quote})`,
];
/** What may stand between a sign and the value: these, in this order. */
const betweenSignAndValue = [
  String.raw`\*{0,2}[ \t\u00a0]{0,40}\s{0,4}`,
  // The marks that start a YAML block, and YAML tags.
  String.raw`(?:[|>][-+\d]{0,2}[ \t]*\r?\n\s{1,40}|[&!][!\w-]{1,40}[ \t]{1,4})?`,
  // The start of a list, a CDATA section, the prefix of a string literal.
  String.raw`(?:\[\s{0,40}(?=${quote}))?(?:<!\[CDATA\[)?(?:[bBfFrRuUNL@$]{1,2}(?=${quote}))?`,
];
// `=`, `:`, `=>`, `>`, also on a line below the name.
const sign = new RegExp(
  `${restOfName}(?:${betweenNameAndSign.join("|")})?[ \\t]{0,40}\\s{0,4}(?:=>|:=|<-|={1,3}|:|：|>)${betweenSignAndValue.join("")}${openingQuote}`,
  "y",
);
/** Signs that say less about the value after them: it has to look like a secret by itself. */
const weakSigns = [
  // In a function call, or in markup with attributes.
  String.raw`[ \t]{0,4}(?:[:=][ \t]{0,4}[\w.:<>=[\] \t]{1,60})?[({][ \t]{0,4}(?:default=)?(?=${quote})`,
  String.raw`[ \t][^<>\n]{1,80}>`,
  String.raw`</key>\s{0,40}<string>`,
  // A default value.
  String.raw`[ \t]{1,4}(?:\|\||\?\??|or)[ \t]{1,4}(?=${quote})`,
  // The next argument of a call or the next field of a line; the next cell of a table.
  String.raw`,[ \t]{0,4}`,
  String.raw`[ \t]{0,40}[|│┃][ \t]{0,4}`,
  // `is`; `for ada: `; only spaces.
  String.raw`[ \t](?:is|was|to)[ \t]`,
  String.raw`[ \t](?:for|of)[ \t](?:key[ \t])?\S{1,100}:[ \t]`,
  String.raw`[ \t]{1,40}`,
];
const weakSign = new RegExp(`${restOfName}(?:${weakSigns.join("|")})${openingQuote}`, "y");
// `TOKEN_FILE=`, `token_type:`: the value is about a secret, but not one itself.
const notSecretSuffix =
  /^(?:[_-]\w{1,24}){0,3}[_-](?:algorithm|dir|encryption|endpoint|field|file|length|name|path|policy|prefix|type|ur[il])(?![\w-])/i;
/** `PWD=/home/ada`, and the same on Windows. */
const isFolder = /^(?:[~/]|[A-Za-z]:[\\/])/;
// After a space, or as the next text in a list. More code follows an option that code declares.
const flagSign =
  /(?:[_-][A-Za-z0-9]{1,24}){0,4}(?:[ \t]{1,4}|\\{0,8}["'],\s{0,40}(?=\\{0,8}["'`]))(?:\\{0,8}(["'`]))?/y;
// Enough to judge by, and little enough to look at repeatedly where names are close together.
const quoted = /[^"'`\\\r\n]{1,256}/y;
// A different quote is part of the value; so is what a JSON string escapes.
const quotedBy: ReadonlyMap<string, RegExp> = new Map([
  ['"', /(?:[^"\\\r\n]|\\[^\r\n]){1,256}/y],
  ['\\"', /[^"\\\r\n]{1,256}/y],
  ["'", /[^'\\\r\n]{1,256}/y],
  ["`", /[^`\\\r\n]{1,256}/y],
]);
const bareValuePattern = /[^\s"'`,;&<>(){}|\\[\]]{1,256}/y;
const inMarkup = /[^\s"'`<>\\\]]{1,256}/y;
const bareToSpace = /[^\s"'`\\]{1,256}/y;

/** Finds `NAME=value`, `"name": "value"` and `--name value`, if the name is one of a secret. */
export const assignmentRule: Rule = {
  prefixes,
  find(text, at) {
    const match = stickyMatch(secretName, text, at);
    if (match === undefined) return undefined;
    const after = at + match[0].length;
    const value =
      valueAfter(text, match, signAfter(text, at, after)) ??
      valueAfter(text, match, weakSignAfter(text, after));
    if (value === undefined) return { hits: [], until: after };
    // Names within a secret are part of it.
    return { hits: [{ start: value.start, end: value.end, rule }], until: value.until };
  },
};

// Its type and its description may stand between the name and the default.
const variable =
  /\bvariable[ \t]{1,8}\\{0,8}"(?<name>[\w-]{1,100})\\{0,8}"[ \t]{0,8}\{[^{}]{0,2000}?\bdefault[ \t]{0,40}=[ \t]{0,8}\\{0,8}"(?<value>[^"\\\r\n]{6,256})\\{0,8}"/y;

/** Finds the default of a Terraform variable whose name is one of a secret. */
export const variableRule: Rule = {
  prefixes: ["variable"],
  find(text, at) {
    const match = stickyMatch(variable, text, at);
    if (match === undefined) return undefined;
    const { name = "", value = "" } = match.groups ?? {};
    const start = at + match[0].lastIndexOf(value);
    const isHit = isSecretField(name, value);
    const hits = isHit ? [{ start, end: start + value.length, rule }] : [];
    return { hits, until: at + match[0].length };
  },
};

/** The assigned value, if it looks like a secret, and the end of all that belongs to it. */
function valueAfter(
  text: string,
  { index, 0: name }: RegExpExecArray,
  assigned: Assigned | undefined,
): { readonly start: number; readonly end: number; readonly until: number } | undefined {
  if (assigned === undefined || notSecretSuffix.test(assigned.text)) return undefined;
  const isUpper = name === name.toUpperCase() && /^\S*=$/.test(assigned.text);
  const kind = kindOf(name);
  const isVerdict = assigned.quote === "" && stickyMatch(verdict, text, index) !== undefined;
  // `token = makeToken(` is code.
  const isUsable = (end: number) => assigned.quote !== "" || !/[([]/.test(text.charAt(end));
  const traits = { kind, isLiteral: assigned.quote !== "" || isUpper };
  const pattern = patternsFor(assigned, isUpper || kind !== "key").find((each) => {
    const value = stickyMatch(each, text, assigned.end)?.[0];
    if (value === undefined || !isUsable(assigned.end + value.length)) return false;
    if (/^pwd$/i.test(name) && isFolder.test(value)) return false;
    const whole = assigned.quote ? value : withoutTrailingPunctuation(value);
    if (isVerdict && (isTestName.test(whole) || isMadeOfWords(whole))) return false;
    if (assigned.isWeak) return isRandomLooking(whole);
    return isLikelySecret(whole, traits);
  });
  if (pattern === undefined) return undefined;
  let until = assigned.end;
  for (
    let more = stickyMatch(pattern, text, until);
    more;
    more = stickyMatch(pattern, text, until)
  ) {
    until += more[0].length;
  }
  const start = assigned.end;
  const end = assigned.quote
    ? until
    : start + withoutTrailingPunctuation(text.slice(start, until)).length;
  return { start, end, until };
}

/** The patterns of a value, the longest first: quotes need not come in pairs. */
function patternsFor({ text, quote, isWeak }: Assigned, toSpace: boolean): readonly RegExp[] {
  const own = quotedBy.get(quote);
  if (own) return [own, quoted];
  if (/(?<![=-])>\s*$|\[CDATA\[$/.test(text)) return [inMarkup];
  return [toSpace && !isWeak ? bareToSpace : bareValuePattern];
}

/** The value without the punctuation that ends a sentence or a bracket around it. */
function withoutTrailingPunctuation(bareValue: string): string {
  return bareValue.replace(/[,;.)]{1,8}$/, "");
}

const wholeName = new RegExp(`(?:${names})(?<more>(?:[_-][A-Za-z0-9]{1,24}){0,4}\\d{0,3})$`, "i");
const maxNameLength = 120;

/** Whether the whole value of a JSON field is a secret, judged by the field's name and value. */
export function isSecretField(name: string, value: string): boolean {
  const match = wholeName.exec(name.slice(-maxNameLength));
  if (match === null || notSecretSuffix.test(match.groups?.["more"] ?? "")) return false;
  if (/pwd$/i.test(name) && isFolder.test(value)) return false;
  return isLikelySecret(value, { kind: kindOf(match[0]), isLiteral: true });
}

function kindOf(name: string): ValueTraits["kind"] {
  if (isPasswordName.test(name)) return "password";
  return /^pass(?![a-z])/i.test(name) ? "pass" : "key";
}

export const fieldRule: string = rule;

type Assigned = {
  readonly text: string;
  readonly end: number;
  readonly quote: string;
  readonly isWeak: boolean;
};

function signAfter(text: string, start: number, at: number): Assigned | undefined {
  const isFlag = /--[\w-]{0,40}$/.test(text.slice(Math.max(0, start - 42), start));
  const match =
    stickyMatch(sign, text, at) ?? (isFlag ? stickyMatch(flagSign, text, at) : undefined);
  return match && toAssigned(match, false);
}

function weakSignAfter(text: string, at: number): Assigned | undefined {
  const match = stickyMatch(weakSign, text, at);
  return match && toAssigned(match, true);
}

function toAssigned(
  { index, 0: written, 1: mark = "" }: RegExpExecArray,
  isWeak: boolean,
): Assigned {
  const quote = mark === '"' && /\\"/.test(written.slice(-4)) ? '\\"' : mark;
  return { text: written, end: index + written.length, quote, isWeak };
}

function stickyMatch(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
