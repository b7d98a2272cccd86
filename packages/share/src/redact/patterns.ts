import { commands } from "./commands.ts";
import {
  entropy,
  isLikelySecret,
  isMadeOfWords,
  isPlaceholder,
  isRandomLooking,
} from "./likely-secret.ts";
import { markedTokens, providerTokens } from "./provider-tokens.ts";
import { literalPrefix, type Rule } from "./rule.ts";

type Pattern = {
  readonly rule: string;
  readonly prefixes: Rule["prefixes"];
  /**
   * Sticky. The secret is the match, or its group `secret`; the group `front` is a part of it, too.
   *
   * Every repetition is bounded, or begins where none of its own characters precedes, or needs
   * nothing after it: each of these keeps it linear. An unbounded repetition is a `*` or `+` of
   * single characters, because the engine counts those of `{12,}` on a stack, which ends after some
   * million.
   */
  readonly pattern: RegExp;
  readonly isSecret?: (secret: string) => boolean;
};

const hasDigit = (text: string): boolean => /\d/.test(text);
const isRandom = (text: string): boolean => hasDigit(text) && entropy(text) >= 3.2;
/** Has several kinds of characters, unlike a word of a sentence or of code. */
const isMixed = (text: string): boolean =>
  hasDigit(text) || (/[a-z]/.test(text) && /[A-Z]/.test(text) && entropy(text) >= 3.5);
/** Not a variable, not a word that says "password", and not the port of an address with an `@`. */
const isPassword = (text: string): boolean =>
  !/^(?:[$%<{*[]|pass(?:word)?$|x-oauth-basic$|x{3}|\.{3}|\d{2,5}[?#])/i.test(text);

/** Has a literal value, not one that code inserts. */
const isCookie = (text: string): boolean =>
  /=(?!\$[{(]|\{\{|<)[^;\s]{16}/.test(text) && hasDigit(text);
/** A password as a person chose it, in clear text in a command. */
const isTypedPassword = (text: string): boolean =>
  isLikelySecret(text, { kind: "password", isLiteral: false });
const isWord = (text: string): boolean => /^[A-Za-z]?[a-z]+(?:-[a-z]+)*[.,:;!?)]*$/.test(text);
/** `name:password` in base64, as in files of npm and Docker. */
const isBasicPair = (text: string): boolean =>
  /^[\x20-\x7e]{0,256}:[\x20-\x7e]{1,1024}$/.test(Buffer.from(text, "base64").toString("latin1"));

const quote = String.raw`\\{0,8}["']`;
// What may stand between the name of a header and its value: a sign, also of an object's field; the
// `value` beside it; the next text in a list, or the next argument; in a configuration, a space.
const headerSeparator = `(?:(?:${quote},\\s{0,40}${quote}value)?(?:${quote})?\\s{0,4}[:=]\\s{0,4}\\[?b?(?:${quote})?|${quote},\\s{0,40}b?${quote}|\\s{1,4}${quote})`;
/** The characters of a token that has no fixed length. */
const tokenOf = (length: number): string =>
  `(?<secret>[A-Za-z0-9._~+/=-]{${length}}[A-Za-z0-9._~+/=-]*)`;
const schemes =
  "apikey|api-token|aws|basic|bearer|bot|geniekey|key|klaviyo-api-key|negotiate|ntlm|sharedkey(?:lite)?|splunk|token|zoho-oauthtoken";

/** The beginnings of a query's fields with these names. */
const queryFieldPrefixes = (names: readonly string[]): string[] =>
  ["?", "&", ";"].flatMap((sign) => names.map((name) => sign + name));

/** Addresses to which anybody who knows them may post. */
const webhooks = [
  String.raw`discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,22}/(?<secret>[A-Za-z0-9_-]{50,100})`,
  String.raw`hooks\.slack\.com/(?:workflows|triggers)/(?<secret>[A-Z0-9]{6,14}/[A-Za-z0-9/]{20,200})`,
  String.raw`webhook\.office\.com/webhookb2/(?<secret>[a-f0-9-]{36}@[a-f0-9-]{36}/\w{1,32}/[a-f0-9]{32}/[A-Za-z0-9/_-]{36,128})`,
  String.raw`hooks\.zapier\.com/hooks/catch/(?<secret>\d{4,12}/[a-z0-9]{5,20})`,
];

const patterns: readonly Pattern[] = [
  {
    // Some schemes name an account before its signature.
    rule: "authorization",
    prefixes: ["authorization"],
    pattern: new RegExp(
      `\\bauthorization${headerSeparator}(?:(?:${schemes})\\s{1,4})?(?:[A-Za-z0-9_-]{1,64}:)?(?!AWS4-)${tokenOf(12)}`,
      "iy",
    ),
    // `request.headers.authorization` is code; in a list, the next header may stand there.
    isSecret: (text) =>
      isMixed(text) &&
      !/^[a-z_$]+(?:\.[a-z_$]+)+$/i.test(text) &&
      (hasDigit(text) || !isMadeOfWords(text)),
  },
  {
    rule: "authorization",
    prefixes: ["bearer"],
    pattern: new RegExp(`\\bbearer\\s{1,4}${tokenOf(16)}`, "iy"),
    isSecret: isRandom,
  },
  {
    rule: "authorization",
    prefixes: ["basic"],
    pattern: /\bbasic\s{1,4}(?<secret>[A-Za-z0-9+/]{8}[A-Za-z0-9+/]*={0,2})(?![A-Za-z0-9+/=])/iy,
    isSecret: isBasicPair,
  },
  {
    // The signature of a request to AWS, and of other schemes that name their fields.
    rule: "authorization",
    prefixes: ["SignedHeaders=", "authorization"],
    pattern:
      /(?:\bSignedHeaders=[a-z0-9;-]{1,1000},\s{0,4}Signature=|\bauthorization(?:\\{0,8}["'])?\s{0,4}[:=]\s{0,4}\\{0,8}["']?(?:digest|hawk|oauth|snowflake)\s[^\r\n]{0,1000}?\b(?:response|mac|oauth_signature|token)=\\{0,8}")(?<secret>[A-Za-z0-9%+/=_-]{16}[A-Za-z0-9%+/=_-]*)/iy,
    isSecret: hasDigit,
  },
  {
    rule: "api-key-header",
    prefixes: ["x-a", "x-g", "x-f"],
    pattern: new RegExp(
      `\\bx-(?:api-key|auth-token|access-token|goog-api-key|amz-security-token|functions-key)${headerSeparator}${tokenOf(12)}`,
      "iy",
    ),
    isSecret: hasDigit,
  },
  {
    rule: "cookie",
    prefixes: ["cookie"],
    pattern: new RegExp(
      `\\bcookie${headerSeparator.replace("[:=]", ":")}(?<secret>[^\\r\\n"'\\\\]+)`,
      "iy",
    ),
    isSecret: isCookie,
  },
  {
    // As given to `curl` or set by a page; without quotes, up to the next space.
    rule: "cookie",
    prefixes: ["curl", "document.cookie"],
    pattern:
      /(?:\bcurl[ \t](?:[^\n|;&]{0,400}?[ \t])?(?:-b|--cookie)[ =]{0,4}|\bdocument\.cookie\s{0,4}=\s{0,4})(?:\\{0,8}["'`])?(?<secret>(?<=["'`])[^\r\n"'`\\]+|[^\s"'`\\]+)/y,
    isSecret: isCookie,
  },
  {
    // A line of a cookie file, as browsers once wrote it and `curl` still does.
    rule: "cookie",
    prefixes: ["TRUE\t", "FALSE\t"],
    pattern:
      /\b(?:TRUE|FALSE)\t\/\S{0,256}\t(?:TRUE|FALSE)\t\d{1,16}\t[^\s]{1,256}\t(?<secret>[^\s"'\\]{16}[^\s"'\\]*)/y,
  },
  {
    rule: "jwt",
    prefixes: ["eyJ"],
    pattern:
      /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8}[A-Za-z0-9_-]*\.eyJ[A-Za-z0-9_-]{4}[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*/y,
  },
  {
    rule: "connection-string",
    prefixes: ["://"],
    pattern:
      // After a `+` or `-` too: lines of a diff begin with them. A password may have an `@` in it,
      // and may be a token of any length. It has no `/`, and two begin each match.
      /(?<=(?<![A-Za-z0-9])[a-z][a-z0-9+.-]{1,30}):\/\/[^\s:/"'`<>\\]{0,128}:(?<secret>[^\s@/"'`<>\\]+(?:@[^\s@/"'`<>\\?#,;&|]+){0,1000})@/iy,
    isSecret: isPassword,
  },
  {
    // A token in the place of a user name, as git hosts accept it.
    rule: "connection-string",
    prefixes: ["://"],
    pattern: /:\/\/(?<secret>[A-Za-z0-9_-]{20,256})(?::x-oauth-basic)?@/y,
    isSecret: isRandom,
  },
  {
    rule: "signed-url",
    prefixes: queryFieldPrefixes(["sig=", "x-amz-s", "x-goog-s"]),
    pattern:
      /[?&;](?:sig|x-amz-signature|x-amz-security-token|x-goog-signature)=(?<secret>[A-Za-z0-9%+/=_-]{16}[A-Za-z0-9%+/=_-]*)/iy,
  },
  {
    // Less certain names: the value has to look like a secret by itself.
    rule: "signed-url",
    prefixes: queryFieldPrefixes(
      "auth hdnea hdnts hmac jwt key magic session sid signature".split(" "),
    ),
    pattern:
      /[?&;](?:auth|hdnea|hdnts|hmac|jwt|key|magic|session_?id|sid|signature)=(?<secret>[A-Za-z0-9%+/=_.~-]{16}[A-Za-z0-9%+/=_.~-]*)/iy,
    isSecret: isRandomLooking,
  },
  {
    // Encrypted by `ansible-vault` with a password, which can be guessed: whole lines and a rest.
    rule: "ansible-vault",
    prefixes: ["$ANSIBLE_VAULT;"],
    pattern:
      /\$ANSIBLE_VAULT;\d\.\d;AES256(?:;[\w.@-]{1,64})?\s{1,40}(?<secret>(?:[a-f0-9]{80}\s{1,40}){0,5000}[a-f0-9]{2,80}(?![\w:]))/y,
    isSecret: (text) => text.length >= 80,
  },
  {
    // The hash of a password, by `crypt`, `htpasswd` and others. The password can be guessed.
    rule: "password-hash",
    prefixes: ["$2", "$apr1$", "$1$", "$5$", "$6$", "$y$", "$7$", "$gy$", "$argon2", "pbkdf2_sha"],
    pattern:
      /(?<![\w$])(?:\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|\$(?:apr1|[156])\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}|\$(?:y|7|gy)\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}|\$argon2(?:id|[id])\$(?:v=\d{1,3}\$)?m=\d{1,9},t=\d{1,9},p=\d{1,9}\$[A-Za-z0-9+/]{8,128}\$[A-Za-z0-9+/]{16,128}|pbkdf2_sha(?:1|256|512)\$\d{1,9}\$[A-Za-z0-9]{1,64}\$[A-Za-z0-9+/]{20,128}={0,2})/y,
  },
  {
    // A line of `.pgpass`.
    rule: "typed-password",
    prefixes: [..."*0123456789"].map((sign) => `:${sign}`),
    pattern:
      /(?<=(?<![^\s"'`\\])(?:\*|localhost|[\w-]{1,63}(?:\.[\w-]{1,63}){1,5})):(?:\*|\d{1,5}):(?:\*|[A-Za-z_][\w-]{0,63}):(?:\*|[A-Za-z_][\w-]{0,63}):(?<secret>[^\s"'`\\:]{6,256})(?![^\s"'`\\])/y,
    isSecret: isRandomLooking,
  },
  {
    rule: "basic-auth",
    prefixes: ["auth"],
    pattern:
      /(?<![A-Za-z0-9])auth\\{0,8}["']?\s{0,4}[:=]\s{0,4}\\{0,8}["']?(?<secret>[A-Za-z0-9+/]{8,2048}={0,2})(?![A-Za-z0-9+/=])/y,
    isSecret: isBasicPair,
  },
  {
    // For `curl`. In other programs `-u 1000:1000` and `-u www:www` name a user and a group, and
    // `rsync -u host:/srv` and `ffuf -u http://host` name a place.
    rule: "typed-password",
    prefixes: ["-u", "--user", "--proxy-user"],
    pattern:
      /(?<![\w-])(?:-u|--user|--proxy-user)(?:[ =:]{1,4}|\\{0,8}["'],\s{0,40})\\{0,8}["']?(?!-)(?:\$\{\w{1,64}\}|[^\s:"'/{]{1,128}):(?!\/)(?<secret>[^\s"'`\\]{6,256})/y,
    isSecret: isTypedPassword,
  },
  {
    // The same without a space, after other flags of one letter, or as `-U`. The command has to be
    // `curl`, because other programs have a `-u` too.
    rule: "typed-password",
    prefixes: ["curl"],
    pattern:
      /\bcurl[ \t](?:[^\n|;&]{0,300}?[ \t])?-[A-Za-z]{0,8}[uU][ =]{0,4}\\{0,8}["']?[A-Za-z0-9][^\s:"'\\/{]{0,127}:(?!\/)(?<secret>[^\s"'`\\]{6,256})/y,
    isSecret: isTypedPassword,
  },
  {
    // `name:password`, and the other separators of the two.
    rule: "typed-password",
    prefixes: [
      "http",
      "xh",
      " --",
      "\t--",
      "smbclient",
      "rpcclient",
      "lftp",
      "sqlplus",
      "jdbc:oracle:",
    ],
    pattern:
      /(?:\b(?:https?|httpie|xhs?)[ \t](?:[^\n|;&]{0,300}?[ \t])?(?:-a|--auth)[ =]{1,4}(?:\\{0,8}["'])?[\w.@+-]{1,128}:|[ \t]--(?:(?:src-|dest-)?creds|auth)[ =]{1,4}(?:\\{0,8}["'])?[\w.@+-]{1,128}:|\b(?:smbclient|rpcclient)[ \t](?:[^\n|;&]{0,300}?[ \t])?(?:-U|--user)[ =]{0,4}(?:\\{0,8}["'])?[\w.@+\\/-]{1,128}%|\blftp[ \t](?:[^\n|;&]{0,300}?[ \t])?-u[ ]{1,4}(?:\\{0,8}["'])?[\w.@+-]{1,128},|(?:\bsqlplus[ \t](?:-\w{1,16}[ \t]){0,4}(?:\\{0,8}["'])?|\bjdbc:oracle:\w{1,8}:)[\w.$-]{1,64}\/)(?<secret>[^\s"'`\\@]{6,256})/y,
    isSecret: isTypedPassword,
  },
  ...commands.map(([names, flag, condition = ""]) => ({
    rule: "typed-password",
    prefixes: names.split("|").map(literalPrefix),
    // After its flag, in the same command.
    pattern: new RegExp(
      String.raw`\b(?:${names})${condition}[ \t](?:[^\n|;&]{0,200}?[ \t])?${flag}(?:\\{0,8}["'])?(?![-/.]|env:|file:)(?<secret>[^\s"'\x60\\]{6,256})`,
      "y",
    ),
    isSecret: (text: string) => !isPlaceholder(text),
  })),
  {
    // Text piped to a command that asks for a password.
    rule: "typed-password",
    prefixes: ["echo", "printf"],
    pattern:
      /\b(?:echo|printf)[ \t]{1,4}(?:-n[ \t]{1,4}|(?:\\{0,8}["'])?%s(?:\\{1,8}n)?(?:\\{0,8}["'])?[ \t]{1,4})?(?:\\{0,8}["'])?(?<secret>[^\s"'`\\|;&]{6,256})(?:\\{0,8}["'])?[ \t]{0,4}\|[ \t]{0,4}(?=[^\n|;&]{0,200}?(?:--password-stdin|--passphrase-fd|--with-token|\bsudo -S|\bsudo --stdin|\bpasswd --stdin|\bchpasswd|\bcryptsetup|\bwrangler secret put))/y,
    isSecret: (text) => !isPlaceholder(text),
  },
  {
    // SQL statements.
    rule: "typed-password",
    prefixes: ["IDENTIFIED", "ENCRYPTED", "WITH", "LOGIN"],
    pattern:
      /\b(?:IDENTIFIED(?:[ \t]{1,4}WITH[ \t]{1,4}\S{1,64})?[ \t]{1,4}BY|(?:ENCRYPTED|WITH|LOGIN)[ \t]{1,4}PASSWORD)(?:[ \t]{1,4}PASSWORD)?[ \t]{1,4}\\{0,8}["'](?<secret>[^\s"'`\\]{6,256})/iy,
    isSecret: (text) => !isPlaceholder(text) && !isWord(text),
  },
  {
    // `.netrc`, on one line or several, in any order. Sentences have its words, too.
    rule: "typed-password",
    prefixes: ["machine", "default"],
    pattern:
      /\b(?:machine\s{1,8}\S{1,256}|default)\s{1,8}(?:(?:login|account|user)\s{1,8}\S{1,256}\s{1,8}){0,3}password\s{1,8}(?<secret>[^\s"'`\\]{6,256})/y,
    isSecret: (text) => !isPlaceholder(text) && !isWord(text),
  },
  {
    rule: "slack-token",
    prefixes: ["xapp-", "xoxe", "xoxc-", "xoxd-"],
    pattern:
      /(?<![A-Za-z0-9-])(?:(?:xapp-\d|xoxe(?:\.xox[bp])?-\d)-[A-Za-z0-9-]{20,512}|xoxc-[0-9-]{20,64}[a-f0-9]{64}|xoxd-[A-Za-z0-9%+/_-]{40,512}={0,2})/y,
    isSecret: isRandom,
  },
  {
    rule: "gitlab-token",
    prefixes: ["gl"],
    pattern:
      /(?<![A-Za-z0-9-])gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rtr?|soat|wt)-[A-Za-z0-9_-]{20,255}(?:\.[a-z0-9]{2}\.[a-z0-9]{9})?/y,
    isSecret: isRandom,
  },
  {
    rule: "google-client-secret",
    prefixes: ["GOCSPX-"],
    pattern: /(?<![A-Za-z0-9_-])GOCSPX-[A-Za-z0-9_-]{28}(?![A-Za-z0-9_-])/y,
  },
  {
    rule: "google-refresh-token",
    prefixes: ["1//0"],
    pattern: /(?<![A-Za-z0-9_/-])1\/\/0[A-Za-z0-9_-]{40,512}/y,
  },
  {
    rule: "azure-client-secret",
    prefixes: ["Q~"],
    pattern: /(?<=(?<![\w.~-])(?<front>[\w.~-]{3}\d))Q~[\w.~-]{31,34}(?![\w~-])/y,
  },
  ...webhooks.map((address) => ({
    rule: "webhook",
    prefixes: [literalPrefix(address)],
    pattern: new RegExp(String.raw`\b${address}`, "y"),
  })),
  ...providerTokens.map((token) => ({
    rule: "provider-token",
    prefixes: [literalPrefix(token)],
    pattern: new RegExp(`(?<![A-Za-z0-9_-])${token}(?![A-Za-z0-9])`, "y"),
    isSecret: isRandom,
  })),
  ...markedTokens.map(([front, mark, rest]) => ({
    rule: "provider-token",
    prefixes: [mark],
    // The mark comes first: it is rare, while the part before it may begin anywhere.
    pattern: new RegExp(
      `(?<=(?<![A-Za-z0-9_-])(?<front>${front}))${mark.replaceAll(/[.+]/g, "\\$&")}${rest}(?![A-Za-z0-9])`,
      "y",
    ),
    isSecret: isRandom,
  })),
  {
    rule: "google-api-key",
    prefixes: ["AIza"],
    pattern: /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/y,
  },
  {
    rule: "google-access-token",
    prefixes: ["ya29."],
    pattern: /(?<![A-Za-z0-9_-])ya29\.[A-Za-z0-9_-]{20,2048}/y,
  },
  {
    rule: "pypi-token",
    prefixes: ["pypi-AgEI"],
    pattern: /(?<![A-Za-z0-9_-])pypi-AgEI[A-Za-z0-9_-]{40,512}/y,
  },
  {
    rule: "telegram-bot-token",
    prefixes: [":AA"],
    pattern: /(?<=(?<![A-Za-z0-9_-])(?<front>\d{8,10})):AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/y,
  },
  {
    // The number of an account in base64, a time, and the signature of both.
    rule: "discord-bot-token",
    prefixes: Array.from({ length: 100 }, (_, number) =>
      Buffer.from(String(number).padStart(2, "0")).toString("base64").slice(0, 3),
    ),
    pattern:
      /(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9]{22,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}(?![A-Za-z0-9_-])/y,
    isSecret: (text) =>
      /^\d{17,20}$/.test(Buffer.from(text.split(".", 1)[0] ?? "", "base64").toString("latin1")),
  },
  {
    rule: "age-secret-key",
    prefixes: ["AGE-SECRET-KEY-1"],
    pattern: /(?<![A-Z0-9-])AGE-SECRET-KEY-1[A-Z0-9]{58}/y,
  },
  {
    // OpenAI, Anthropic, OpenRouter and many more, including forms that the preset does not know.
    rule: "sk-token",
    prefixes: ["sk-"],
    pattern: /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{20,512}/y,
    isSecret: (text) => isRandom(text) && /[A-Za-z0-9]{16}/.test(text),
  },
  {
    // The preset accepts only exact lengths, but these prefixes mean nothing else.
    rule: "github-token",
    prefixes: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    pattern: /(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255})/y,
  },
];

/** The rule for people's names. They are not secrets, but may be replaced like them. */
export const userNameRule = "user-name";

/** Our own rules that are one regular expression each. */
export const patternRules: readonly Rule[] = patterns.map(
  ({ rule, prefixes, pattern, isSecret = () => true }) => ({
    prefixes,
    find(text, at) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (match === null) return undefined;
      const { front = "", secret: part = match[0] } = match.groups ?? {};
      const secret = front + part;
      // The secret is the last part of a match, apart from an `@`.
      const start = at + match[0].lastIndexOf(part) - front.length;
      const end = start + secret.length;
      const isHit = isSecret(secret) && text[end] !== "(";
      return { hits: isHit ? [{ start, end, rule }] : [], until: at + match[0].length };
    },
  }),
);

// A placeholder is not a name, and neither are `$USER`, `<you>` and `...`.
const first = "(?![$*%.])";
const character = String.raw`[^\s/\\:;,"'<>|()[\]{}\x60]`;
const namePattern = `(?<name>${first}${character}{1,64})`;
// Clients name the folder of a project after its path, with `-` for what no file name can hold.
const wordPattern = `(?<name>${first}(?:(?!-)${character}){1,64})`;
const homeFolder = "(?:mnt-[a-z]-|var-)?(?:home|Users)-";
// `my-home-page` and `a--home-b` are words.
const pathBoundary = String.raw`(?<=^|[\s/\\"'\x60([{<>=:,;|*])`;
const homePatterns: readonly (readonly [prefixes: Rule["prefixes"], pattern: RegExp])[] = [
  // JSON may escape a slash.
  [["/home", "/Users"], new RegExp(String.raw`/(?:home|Users)\\*/${namePattern}`, "y")],
  // A name may have spaces here, because its end is clear.
  [
    [":\\", ":/Users"],
    new RegExp(
      String.raw`(?<=\b[A-Za-z]):(?:\\{1,8}|/)Users(?:\\{1,8}|/)(?<name>${first}${character}{1,64}(?:(?: ${character}{1,32}){1,3}(?=\\))?)`,
      "y",
    ),
  ],
  // A Linux path as Windows writes it.
  [
    ["\\wsl"],
    new RegExp(
      String.raw`\\wsl(?:\$|\.localhost)\\+${character}{1,64}\\+home\\+${namePattern}`,
      "iy",
    ),
  ],
  // `-home-ada-shop`, but not the flag `-home-dir`.
  [
    ["-home", "-Users", "-mnt", "-var", "--home", "--Users", "--mnt", "--var"],
    new RegExp(
      String.raw`(?:${pathBoundary}-|(?<=[/\\])--)${homeFolder}(?!(?:dir|directory|folder|page|path|url)(?![-\w/\\]))${wordPattern}`,
      "y",
    ),
  ],
  // `project/home-ada-shop/storage`, where opencode once kept the sessions of a project.
  [
    ["home-", "Users-"],
    new RegExp(
      String.raw`(?<=(?:^|[/\\])project[/\\])(?:home|Users)-${wordPattern}(?=(?:-${character}{0,200})?[/\\]storage(?![-\w]))`,
      "y",
    ),
  ],
  // `C--Users-ada-shop`, `--C--Users-ada-shop--`
  [["--Users-"], new RegExp(`(?<=${pathBoundary}(?:--)?[A-Za-z])--Users-${wordPattern}`, "y")],
  // `--home-ada-shop--`, but not the flag `--home-page` and not the variable `--home-page-width`.
  [
    ["--home", "--Users", "--mnt", "--var"],
    new RegExp(
      String.raw`${pathBoundary}--${homeFolder}${wordPattern}(?=(?:-${character}{0,200})?--(?![\w-]))`,
      "y",
    ),
  ],
];

/** Finds people's names in the paths of their home folders. */
export const userNameRules: readonly Rule[] = homePatterns.map(([prefixes, pattern]) => ({
  prefixes,
  find(text, at) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return undefined;
    const { name = "" } = match.groups ?? {};
    const until = at + match[0].length;
    const start = until - name.length;
    const end = start + name.replace(/[.?!]+$/, "").length;
    return { hits: [{ start, end, rule: userNameRule }], until };
  },
}));
