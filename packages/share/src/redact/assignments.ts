import { isLikelySecret, isOfWords, isRandomLooking, type ValueTraits } from "./likely-secret.ts";
import type { Rule } from "./rule.ts";

const rule = "assigned-secret";
const words =
  "passwd|password|passwort|passphrase|passcode|pwd|kennwort|mot de passe|contraseña|senha|пароль|密码|密碼|パスワード|requirepass|masterauth";
/** Whose `_PASS` or `pw` is a password. */
const owners =
  "admin|auth|database|db|ftp|imap|ldap|login|mail|mongo|mysql|pg|postgres|proxy|redis|root|smtp|sql|ssh|sudo|user";
const passwords = `${words}|(?<![\\w-])psk(?!\\w)|(?:${owners})[_-]?(?:pass|pw)(?![a-z])`;
// By itself it may also say that a test passed, or how often something is gone over.
const pass = "(?<![a-z])pass(?![a-z])";
/** Whose key is a secret. */
const keys =
  "access|account|aes|api|app|application|auth|client|decryption|deploy|encryption|fernet|functions|hmac|license|master|preshared|private|root|secret|server|session|shared|signing|storage|subscription|unseal|validation|webhook";
const names = `(?:${keys})[_ -]?key|${passwords}|${pass}|secret|token|credentials?`;
const begins = [words, owners, keys, "psk|pass|secret|token|credential"].flatMap((each) =>
  each.split("|"),
);
const aName = new RegExp(names, "iy");
const isPasswordName = new RegExp(passwords, "i");
/** `PASS: TestParse2Times`, as test runners write, unless what follows is no name of a test. */
const verdict = /(?<![\w-])PASS:/y;
const isTestName = /^Test[A-Z_]|\/|::/;
const quote = String.raw`\\{0,8}["'\x60]`;
const openingQuote = String.raw`(?:\\{0,8}(["'\x60])(?:""[ \t]*\r?\n?)?)?`;
/** `_PROD`, `1`, a closing quote or bracket, what makes it bold, the brackets of an array. */
const restOfName = String.raw`(?:[_-][A-Za-z0-9]{1,24}){0,4}(?: ?\d{1,3})?(?:${quote}|\]){0,2}\*{0,2}(?:\[\w{0,8}\])?`;
/** What stands between a name and its sign, as one of these. */
const betweenNameAndSign = [
  // `value`, or the field of that name behind a `name`.
  String.raw`,?\s{0,40}(?:\\{0,8}["'])?\b[vV]alue(?:\\{0,8}["'])?(?=\s?:)`,
  // A type in front of a `=`.
  String.raw`[ \t]{0,40}(?::\s?[^\s:=;"'\x60(){}\\][^:=;"'\x60(){}\\\n]{0,30}|\s{1,4}(?:value|[sS]tring)|\s?\{ get; (?:init|set); \})\s{0,2}(?=[ \t]=|=[ \t]?${quote})`,
];
/** What stands between a sign and the value, as these in this order. */
const betweenSignAndValue = [
  String.raw`\*{0,2}[ \t\u00a0]{0,40}\s{0,4}`,
  // What begins a block of YAML, and its tags.
  String.raw`(?:[|>][-+\d]{0,2}[ \t]*\r?\n\s{1,40}|[&!][!\w-]{1,40}[ \t]{1,4})?`,
  // A list, what is no markup, the kind of a text.
  String.raw`(?:\[\s{0,40}(?=${quote}))?(?:<!\[CDATA\[)?(?:[bBfFrRuUNL@$]{1,2}(?=${quote}))?`,
];
// `=`, `:`, `=>`, `>`, which may stand below one another.
const sign = new RegExp(
  `${restOfName}(?:${betweenNameAndSign.join("|")})?[ \\t]{0,40}\\s{0,4}(?:=>|:=|<-|={1,3}|:|：|>)${betweenSignAndValue.join("")}${openingQuote}`,
  "y",
);
/** What says less of the value behind it: that has to look like a secret by itself. */
const weakSigns = [
  // Within a call of code, or in markup that says more.
  String.raw`[ \t]{0,4}(?:[:=][ \t]{0,4}[\w.:<>=[\] \t]{1,60})?[({][ \t]{0,4}(?:default=)?(?=${quote})`,
  String.raw`[ \t][^<>\n]{1,80}>`,
  String.raw`</key>\s{0,40}<string>`,
  // What it is but where something else is said.
  String.raw`[ \t]{1,4}(?:\|\||\?\??|or)[ \t]{1,4}(?=${quote})`,
  // The next of what code is called with, or of a line; the next of a table.
  String.raw`,[ \t]{0,4}`,
  String.raw`[ \t]{0,40}[|│┃][ \t]{0,4}`,
  // `is`; `for ada: `; what stands apart.
  String.raw`[ \t](?:is|was|to)[ \t]`,
  String.raw`[ \t](?:for|of)[ \t](?:key[ \t])?\S{1,100}:[ \t]`,
  String.raw`[ \t]{1,40}`,
];
const weakSign = new RegExp(`${restOfName}(?:${weakSigns.join("|")})${openingQuote}`, "y");
// `TOKEN_FILE=`, `token_type:`: what stands there is about a secret.
const namesNone =
  /^(?:[_-]\w{1,24}){0,3}[_-](?:algorithm|dir|encryption|endpoint|field|file|length|name|path|policy|prefix|type|ur[il])(?![\w-])/i;
/** `PWD=/home/ada`, and its like under Windows. */
const isFolder = /^(?:[~/]|[A-Za-z]:[\\/])/;
// Behind a space, or the next text in a list: behind an option that code declares stands more code.
const flagSign =
  /(?:[_-][A-Za-z0-9]{1,24}){0,4}(?:[ \t]{1,4}|\\{0,8}["'],\s{0,40}(?=\\{0,8}["'`]))(?:\\{0,8}(["'`]))?/y;
// Enough to judge by, and to look at again and again where names stand close together.
const quoted = /[^"'`\\\r\n]{1,256}/y;
// Another quote is part of it; so is what a string of JSON escapes.
const quotedBy: ReadonlyMap<string, RegExp> = new Map([
  ['"', /(?:[^"\\\r\n]|\\[^\r\n]){1,256}/y],
  ['\\"', /[^"\\\r\n]{1,256}/y],
  ["'", /[^'\\\r\n]{1,256}/y],
  ["`", /[^`\\\r\n]{1,256}/y],
]);
const bare = /[^\s"'`,;&<>(){}|\\[\]]{1,256}/y;
const inMarkup = /[^\s"'`<>\\\]]{1,256}/y;
const bareToSpace = /[^\s"'`\\]{1,256}/y;

/** `NAME=value`, `"name": "value"`, `--name value`, where the name is one of a secret. */
export const assignmentRule: Rule = {
  begins,
  find(text, at) {
    const match = stickyMatch(aName, text, at);
    if (match === undefined) return undefined;
    const after = at + match[0].length;
    const value =
      valueAfter(text, match, signAfter(text, at, after)) ??
      valueAfter(text, match, weakSignAfter(text, after));
    if (value === undefined) return { hits: [], until: after };
    // Names inside a secret are part of it.
    return { hits: [{ start: value.start, end: value.end, rule }], until: value.until };
  },
};

// Its type and what it is for may stand between the two.
const variable =
  /\bvariable[ \t]{1,8}\\{0,8}"(?<name>[\w-]{1,100})\\{0,8}"[ \t]{0,8}\{[^{}]{0,2000}?\bdefault[ \t]{0,40}=[ \t]{0,8}\\{0,8}"(?<value>[^"\\\r\n]{6,256})\\{0,8}"/y;

/** What a variable of Terraform is where nothing else is said, and its name is one of a secret. */
export const variableRule: Rule = {
  begins: ["variable"],
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

/** What is assigned, where it looks like a secret; and where all of it ends. */
function valueAfter(
  text: string,
  { index, 0: name }: RegExpExecArray,
  assigned: Assigned | undefined,
): { readonly start: number; readonly end: number; readonly until: number } | undefined {
  if (assigned === undefined || namesNone.test(assigned.text)) return undefined;
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
    const whole = assigned.quote ? value : trimmed(value);
    if (isVerdict && (isTestName.test(whole) || isOfWords(whole))) return false;
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
  const end = assigned.quote ? until : start + trimmed(text.slice(start, until)).length;
  return { start, end, until };
}

/** What a value may be of, the longest first: quotes need not be in pairs. */
function patternsFor({ text, quote, isWeak }: Assigned, toSpace: boolean): readonly RegExp[] {
  const own = quotedBy.get(quote);
  if (own) return [own, quoted];
  if (/(?<![=-])>\s*$|\[CDATA\[$/.test(text)) return [inMarkup];
  return [toSpace && !isWeak ? bareToSpace : bare];
}

/** Without what ends a sentence or a bracket around it. */
function trimmed(bareValue: string): string {
  return bareValue.replace(/[,;.)]{1,8}$/, "");
}

const wholeName = new RegExp(`(?:${names})(?<more>(?:[_-][A-Za-z0-9]{1,24}){0,4}\\d{0,3})$`, "i");
const longestName = 120;

/** The whole value of a JSON field, where the name of the field says that it is a secret. */
export function isSecretField(name: string, value: string): boolean {
  const match = wholeName.exec(name.slice(-longestName));
  if (match === null || namesNone.test(match.groups?.["more"] ?? "")) return false;
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
  return match && assignedBy(match, false);
}

function weakSignAfter(text: string, at: number): Assigned | undefined {
  const match = stickyMatch(weakSign, text, at);
  return match && assignedBy(match, true);
}

function assignedBy(
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
