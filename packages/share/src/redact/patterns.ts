import type { Finder, Hit } from "./hit.ts";
import { entropy, isLikelySecret, isStandIn } from "./likely-secret.ts";

type Pattern = {
  readonly rule: string;
  /**
   * Global; what it matches is the secret, or its group `secret` is. Every repetition is bounded, or
   * begins where none of its own characters stands before, or needs nothing behind it: each keeps it
   * linear. One without an end is a `*` or `+` of single characters: the engine counts those of
   * `{12,}` on a stack, which ends after some million.
   */
  readonly pattern: RegExp;
  readonly isSecret?: (secret: string) => boolean;
};

const hasDigit = (text: string): boolean => /\d/.test(text);
const isRandom = (text: string): boolean => hasDigit(text) && entropy(text) >= 3.2;
/** Of several kinds of characters: a word of a sentence or of code is not. */
const isMixed = (text: string): boolean =>
  hasDigit(text) || (/[a-z]/.test(text) && /[A-Z]/.test(text) && entropy(text) >= 3.5);
/** No variable or word that says "password", and not the port of an address with an `@` behind. */
const isPassword = (text: string): boolean =>
  !/^(?:[$%<{*[]|pass(?:word)?$|x-oauth-basic$|x{3}|\.{3}|\d{2,5}[?#])/i.test(text);

/** As a person chose it, where a command has it in clear. */
const isTyped = (text: string): boolean =>
  isLikelySecret(text, { kind: "password", isLiteral: false });
const isWord = (text: string): boolean => /^[A-Za-z]?[a-z]+(?:-[a-z]+)*[.,:;!?)]*$/.test(text);
/** `name:password` in base64, as files of npm and Docker have it. */
const isBasicPair = (text: string): boolean =>
  /^[\x20-\x7e]{0,256}:[\x20-\x7e]{1,1024}$/.test(Buffer.from(text, "base64").toString("latin1"));

/** Tokens whose prefix means nothing else, each of its own length. */
const providerTokens = [
  "whsec_[A-Za-z0-9+/]{24,64}={0,2}",
  "do[opr]_v1_[a-f0-9]{64}",
  "sbp_[a-f0-9]{40}",
  "rubygems_[a-f0-9]{48}",
  "AT[AC]TT3[A-Za-z0-9_=-]{50,512}",
  "pul-[a-f0-9]{40}",
  "NRAK-[A-Z0-9]{27}",
  "PMAK-[a-f0-9]{24}-[a-f0-9]{34}",
  "HRKU-[A-Za-z0-9_-]{50,128}",
  "xai-[A-Za-z0-9]{70,128}",
  "pplx-[A-Za-z0-9]{40,64}",
  "r8_[A-Za-z0-9]{37}",
  String.raw`dp\.(?:ct|pt|sa|scim|st)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}`,
  "vercel_blob_rw_[A-Za-z0-9_]{30,64}",
  "fm[12]r?_[A-Za-z0-9+/]{60,2048}={0,2}",
  "(?:secret_|ntn_)[A-Za-z0-9]{43,50}",
  "sq0[a-z]{3}-[A-Za-z0-9_-]{22,43}",
  String.raw`[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}`,
  "key-[a-f0-9]{32}",
];
const providerToken = new RegExp(
  `(?<![A-Za-z0-9_-])(?:${providerTokens.join("|")})(?![A-Za-z0-9])`,
  "g",
);

const patterns: readonly Pattern[] = [
  {
    rule: "authorization",
    pattern:
      /\bauthorization(?:\\{0,8}["'],\s{0,40}\\{0,8}["']value)?\\{0,8}["']?\s{0,4}[:=]\s{0,4}\\{0,8}["']?(?:(?:bearer|basic|token|apikey|digest|negotiate)\s{1,4})?(?<secret>[A-Za-z0-9._~+/=-]{12}[A-Za-z0-9._~+/=-]*)/gi,
    // `request.headers.authorization` is code.
    isSecret: (text) => isMixed(text) && !/^[a-z_$]+(?:\.[a-z_$]+)+$/i.test(text),
  },
  {
    rule: "authorization",
    pattern: /\bbearer\s{1,4}(?<secret>[A-Za-z0-9._~+/=-]{16}[A-Za-z0-9._~+/=-]*)/gi,
    isSecret: isRandom,
  },
  {
    rule: "api-key-header",
    pattern:
      /\bx-(?:api-key|auth-token|access-token|goog-api-key|amz-security-token)(?:\\{0,8}["'],\s{0,40}\\{0,8}["']value)?\\{0,8}["']?\s{0,4}[:=]\s{0,4}\\{0,8}["']?(?<secret>[A-Za-z0-9._~+/=-]{12}[A-Za-z0-9._~+/=-]*)/gi,
    isSecret: hasDigit,
  },
  {
    rule: "cookie",
    pattern:
      /\b(?:set-)?cookie(?:\\{0,8}["'],\s{0,40}\\{0,8}["']value)?\\{0,8}["']?\s{0,4}:\s{0,4}\\{0,8}["']?(?<secret>[^\r\n"'\\]+)/gi,
    isSecret: (text) => /=[^;\s]{16}/.test(text) && hasDigit(text),
  },
  {
    rule: "jwt",
    pattern:
      /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8}[A-Za-z0-9_-]*\.eyJ[A-Za-z0-9_-]{4}[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*/g,
  },
  {
    rule: "connection-string",
    pattern:
      // Behind a `+` or `-` too: lines of a difference begin with them. A password may have an `@` in
      // it, and be a token of any length; no `/` is in it, and two begin each match.
      /(?<![A-Za-z0-9])[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:/"'`<>\\]{0,128}:(?<secret>[^\s@/"'`<>\\]+(?:@[^\s@/"'`<>\\?#,;&|]+){0,1000})@/gi,
    isSecret: isPassword,
  },
  {
    // A token in the place of a name, as git hosts take it.
    rule: "connection-string",
    pattern: /:\/\/(?<secret>[A-Za-z0-9_-]{20,256})(?::x-oauth-basic)?@/g,
    isSecret: isRandom,
  },
  {
    rule: "signed-url",
    pattern:
      /[?&;](?:sig|x-amz-signature|x-amz-security-token|x-goog-signature)=(?<secret>[A-Za-z0-9%+/=_-]{16}[A-Za-z0-9%+/=_-]*)/gi,
  },
  {
    rule: "basic-auth",
    pattern:
      /(?<![A-Za-z0-9])_?auth\\{0,8}["']?\s{0,4}[:=]\s{0,4}\\{0,8}["']?(?<secret>[A-Za-z0-9+/]{8,2048}={0,2})(?![A-Za-z0-9+/=])/g,
    isSecret: isBasicPair,
  },
  {
    // Of `curl`: `-u 1000:1000` and `-u www:www` name a user and a group, `rsync -u host:/srv` and
    // `ffuf -u http://host` a place.
    rule: "typed-password",
    pattern:
      /(?<![\w-])(?:-u|--user|--proxy-user)(?:[ =:]{1,4}|\\{0,8}["'],\s{0,40})\\{0,8}["']?(?!-)(?:\$\{\w{1,64}\}|[^\s:"'/{]{1,128}):(?!\/)(?<secret>[^\s"'`\\]{6,256})/g,
    isSecret: isTyped,
  },
  {
    // The same without a space, where the command is one of `curl`: other programs have a `-u` too.
    rule: "typed-password",
    pattern:
      /\bcurl[ \t](?:[^\n|;&]{0,300}?[ \t])?-u\\{0,8}["']?[A-Za-z0-9][^\s:"'\\/{]{0,127}:(?!\/)(?<secret>[^\s"'`\\]{6,256})/g,
    isSecret: isTyped,
  },
  {
    rule: "typed-password",
    pattern: /\bsshpass\s{1,4}-p\s{0,4}\\{0,8}["']?(?<secret>[^\s"'`\\]{6,256})/g,
    isSecret: (text) => !isStandIn(text),
  },
  // In one command with a user, as no `-p` is that stands behind one of these words alone.
  {
    rule: "typed-password",
    pattern:
      /\b(?:mysql|mysqldump|mysqladmin|mariadb)(?=[^\n|;&]{0,200}?[ \t](?:-u|--user))[ \t][^\n|;&]{0,200}?(?<=[ \t])-p\\{0,8}["']?(?<secret>[^\s"'`\\]{6,256})/g,
    isSecret: (text) => !isStandIn(text),
  },
  {
    rule: "typed-password",
    pattern:
      /\b(?:docker|podman)[ \t]{1,4}login(?=[^\n|;&]{0,200}?[ \t](?:-u|--user))[ \t][^\n|;&]{0,200}?(?<=[ \t])-p[ \t]{1,4}\\{0,8}["']?(?<secret>[^\s"'`\\]{6,256})/g,
    isSecret: (text) => !isStandIn(text),
  },
  {
    // `.netrc`, in one line or several. Sentences have its words too, in this order.
    rule: "typed-password",
    pattern:
      /\b(?:machine|default)\s{1,8}(?:\S{1,256}\s{1,8})?login\s{1,8}\S{1,256}\s{1,8}password\s{1,8}(?<secret>[^\s"'`\\]{6,256})/g,
    isSecret: (text) => !isStandIn(text) && !isWord(text),
  },
  {
    rule: "slack-token",
    pattern: /(?<![A-Za-z0-9-])(?:xapp-\d|xoxe(?:\.xox[bp])?-\d)-[A-Za-z0-9-]{20,512}/g,
    isSecret: isRandom,
  },
  {
    rule: "gitlab-token",
    pattern:
      /(?<![A-Za-z0-9-])gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rtr?|soat|wt)-[A-Za-z0-9_-]{20,255}(?:\.[a-z0-9]{2}\.[a-z0-9]{9})?/g,
    isSecret: isRandom,
  },
  {
    rule: "google-client-secret",
    pattern: /(?<![A-Za-z0-9_-])GOCSPX-[A-Za-z0-9_-]{28}(?![A-Za-z0-9_-])/g,
  },
  { rule: "google-refresh-token", pattern: /(?<![A-Za-z0-9_/-])1\/\/0[A-Za-z0-9_-]{40,512}/g },
  {
    rule: "azure-client-secret",
    pattern: /(?<![\w.~-])[\w.~-]{3}\dQ~[\w.~-]{31,34}(?![\w~-])/g,
  },
  {
    rule: "webhook",
    pattern:
      /\bdiscord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{15,22}\/(?<secret>[A-Za-z0-9_-]{50,100})/g,
  },
  { rule: "provider-token", pattern: providerToken, isSecret: isRandom },
  { rule: "google-api-key", pattern: /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g },
  { rule: "google-access-token", pattern: /(?<![A-Za-z0-9_-])ya29\.[A-Za-z0-9_-]{20,2048}/g },
  { rule: "pypi-token", pattern: /(?<![A-Za-z0-9_-])pypi-AgEI[A-Za-z0-9_-]{40,512}/g },
  {
    rule: "telegram-bot-token",
    pattern: /(?<![A-Za-z0-9_-])\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/g,
  },
  { rule: "age-secret-key", pattern: /(?<![A-Z0-9-])AGE-SECRET-KEY-1[A-Z0-9]{58}/g },
  {
    // OpenAI, Anthropic, OpenRouter and many more, also forms that the preset does not know.
    rule: "sk-token",
    pattern: /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{20,512}/g,
    isSecret: (text) => isRandom(text) && /[A-Za-z0-9]{16}/.test(text),
  },
  {
    // The preset takes exact lengths only; these prefixes mean nothing else.
    rule: "github-token",
    pattern: /(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255})/g,
  },
];

/** Names of people are no secrets, but may be replaced like them. */
export const userNameRule = "user-name";

/** The rules of ours that are one regular expression. */
export const patternFinders: readonly Finder[] = patterns.map(
  ({ rule, pattern, isSecret = () => true }) =>
    function* (text: string): Generator<Hit> {
      for (const match of text.matchAll(pattern)) {
        const secret = match.groups?.["secret"] ?? match[0];
        // Of the groups, the secret is the last thing but for an `@`.
        const start = match.index + match[0].lastIndexOf(secret);
        const end = start + secret.length;
        if (isSecret(secret) && text[end] !== "(") yield { start, end, rule };
      }
    },
);

// A placeholder is no name, and neither are `$USER`, `<you>` and `...`.
const first = "(?![$*%.])";
const character = String.raw`[^\s/\\:;,"'<>|()[\]{}\x60]`;
const namePattern = `(?<name>${first}${character}{1,64})`;
// Clients name the folder of a project after its path, with `-` for what no name of a file has.
const wordPattern = `(?<name>${first}(?:(?!-)${character}){1,64})`;
const homeFolder = "(?:mnt-[a-z]-|var-)?(?:home|Users)-";
// `my-home-page` and `a--home-b` are words.
const begins = String.raw`(?<=^|[\s/\\"'\x60([{<>=:,;|*])`;
const homes = [
  // JSON may escape a slash.
  new RegExp(String.raw`/(?:home|Users)\\*/${namePattern}`, "g"),
  // A name may have spaces here, where its end is plain to see.
  new RegExp(
    String.raw`\b[A-Za-z]:(?:\\{1,8}|/)Users(?:\\{1,8}|/)(?<name>${first}${character}{1,64}(?:(?: ${character}{1,32}){1,3}(?=\\))?)`,
    "g",
  ),
  // Linux as Windows sees it.
  new RegExp(
    String.raw`\\wsl(?:\$|\.localhost)\\+${character}{1,64}\\+home\\+${namePattern}`,
    "gi",
  ),
  // `-home-ada-shop`, but not the flag `-home-dir`.
  new RegExp(
    String.raw`(?:${begins}-|(?<=[/\\])--)${homeFolder}(?!(?:dir|directory|folder|page|path|url)(?![-\w/\\]))${wordPattern}`,
    "g",
  ),
  // `project/home-ada-shop/storage`, as opencode kept each project's sessions once.
  new RegExp(
    String.raw`(?<=(?:^|[/\\])project[/\\])(?:home|Users)-${wordPattern}(?=(?:-${character}{0,200})?[/\\]storage(?![-\w]))`,
    "g",
  ),
  // `C--Users-ada-shop`, `--C--Users-ada-shop--`
  new RegExp(`${begins}(?:--)?[A-Za-z]--Users-${wordPattern}`, "g"),
  // `--home-ada-shop--`, but not the flag `--home-page` and not the variable `--home-page-width`.
  new RegExp(
    String.raw`${begins}--${homeFolder}${wordPattern}(?=(?:-${character}{0,200})?--(?![\w-]))`,
    "g",
  ),
];

/** The names of people in the paths of their home folders. */
export function* userNames(text: string): Generator<Hit> {
  for (const home of homes) {
    for (const match of text.matchAll(home)) {
      const { name = "" } = match.groups ?? {};
      const start = match.index + match[0].length - name.length;
      yield { start, end: start + name.replace(/[.?!]+$/, "").length, rule: userNameRule };
    }
  }
}
