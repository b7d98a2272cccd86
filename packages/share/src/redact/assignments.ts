import type { Hit } from "./hit.ts";
import { isLikelySecret, type ValueTraits } from "./likely-secret.ts";

const rule = "assigned-secret";
const passwords =
  "passw(?:or)?d|passphrase|pwd|(?:admin|auth|database|db|ftp|imap|ldap|login|mail|mongo|mysql|pg|postgres|proxy|redis|root|smtp|sql|ssh|sudo|user)[_-]?pass(?![a-z])";
// By itself it may also say that a test passed, or how often something is gone over.
const pass = "(?<![a-z])pass(?![a-z])";
const names = `(?:api|access|account|auth|client|encryption|master|private|secret|session|shared|signing|storage)[_ -]?key|${passwords}|${pass}|secret|token|credentials?`;
const everyName = new RegExp(names, "gi");
const isPasswordName = new RegExp(passwords, "i");
/** `PASS: TestParse2Times`, as test runners write, unless what follows is no name of a test. */
const verdict = /(?<![\w-])PASS:/y;
const isTestName = /^Test[A-Z_]|\/|::/;
// Each alternative begins where the one before cannot go on, so that there is one way to match.
const isOfWords =
  /^(?=.*[a-z]{3})(?:[A-Z][a-z]{2,}|(?<![A-Za-z])[a-z]{3,}|(?<![A-Z])[A-Z]{2,}|(?<!\d)\d{1,3}[a-z]?|[-_.])+$/;
// `_PROD`, `1`, a closing quote or bracket, a type, `value` or the field of that name behind a `name`,
// then `=`, `:`, `=>`, `>`, which may stand below one another; the beginning of a list, an opening quote.
const sign =
  /(?:[_-][A-Za-z0-9]{1,24}){0,4}\d{0,3}(?:\\{0,8}["'`\]]){0,2}(?:,?\s{0,40}\\{0,8}["']?\bvalue\\{0,8}["']?(?=\s?:))?[ \t]{0,40}\s{0,4}(?:(?::\s?\w{1,20}|\s{1,4}value)\s{0,2}(?==))?(?:=>|:=|={1,3}|:|>)[ \t]{0,40}\s{0,4}(?:\[\s{0,40}(?=\\{0,8}["'`]))?(?:\\{0,8}(["'`]))?/y;
// `TOKEN_FILE=`, `token_type:`: what stands there is about a secret.
const namesNone =
  /^(?:[_-]\w{1,24}){0,3}[_-](?:dir|endpoint|field|file|length|name|path|prefix|type|ur[il])(?![\w-])/i;
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
const bareToSpace = /[^\s"'`\\]{1,256}/y;

/** `NAME=value`, `"name": "value"`, `--name value`, where the name is one of a secret. */
export function* assignedSecrets(text: string): Generator<Hit> {
  // Names inside a secret are part of it.
  let free = 0;
  for (const match of text.matchAll(everyName)) {
    const [name] = match;
    const after = match.index + name.length;
    if (match.index < free) continue;
    const assigned = signAfter(text, match.index, after);
    if (assigned === undefined) continue;
    if (namesNone.test(assigned.text)) continue;
    const isUpper = name === name.toUpperCase() && /^\S*=$/.test(assigned.text);
    const kind = kindOf(name);
    const isVerdict =
      assigned.quote === "" && stickyMatch(verdict, text, match.index) !== undefined;
    // `token = makeToken(` is code.
    const isUsable = (end: number) => assigned.quote !== "" || !/[([]/.test(text.charAt(end));
    const traits = { kind, isLiteral: assigned.quote !== "" || isUpper };
    const pattern = patternsFor(assigned.quote, isUpper || kind !== "key").find((each) => {
      const value = stickyMatch(each, text, assigned.end)?.[0];
      if (value === undefined || !isUsable(assigned.end + value.length)) return false;
      if (/^pwd$/i.test(name) && isFolder.test(value)) return false;
      const whole = assigned.quote ? value : trimmed(value);
      if (isVerdict && (isTestName.test(whole) || isOfWords.test(whole))) return false;
      return isLikelySecret(whole, traits);
    });
    if (pattern === undefined) continue;
    let end = assigned.end;
    for (let more = stickyMatch(pattern, text, end); more; more = stickyMatch(pattern, text, end)) {
      end += more[0].length;
    }
    free = end;
    if (!assigned.quote) end = assigned.end + trimmed(text.slice(assigned.end, end)).length;
    yield { start: assigned.end, end, rule };
  }
}

/** What a value may be of, the longest first: quotes need not be in pairs. */
function patternsFor(quote: string, toSpace: boolean): readonly RegExp[] {
  const own = quotedBy.get(quote);
  if (own) return [own, quoted];
  return [toSpace ? bareToSpace : bare];
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

type Assigned = { readonly text: string; readonly end: number; readonly quote: string };

function signAfter(text: string, start: number, at: number): Assigned | undefined {
  const isFlag = /--[\w-]{0,40}$/.test(text.slice(Math.max(0, start - 42), start));
  const match =
    stickyMatch(sign, text, at) ?? (isFlag ? stickyMatch(flagSign, text, at) : undefined);
  if (match === undefined) return undefined;
  const [written, mark = ""] = match;
  const quote = mark === '"' && written.endsWith('\\"') ? '\\"' : mark;
  return { text: written, end: at + written.length, quote };
}

function stickyMatch(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
