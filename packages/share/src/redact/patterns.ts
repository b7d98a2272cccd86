import type { Finder, Hit } from "./hit.ts";
import { entropy, isLikelySecret, isRandomLooking, isStandIn } from "./likely-secret.ts";

type Pattern = {
  readonly rule: string;
  /**
   * Global; what it matches is the secret, or its group `secret` is; `front` is a part of it, too. Every repetition is bounded, or
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

const isCookie = (text: string): boolean => /=[^;\s]{16}/.test(text) && hasDigit(text);
/** As a person chose it, where a command has it in clear. */
const isTyped = (text: string): boolean =>
  isLikelySecret(text, { kind: "password", isLiteral: false });
const isWord = (text: string): boolean => /^[A-Za-z]?[a-z]+(?:-[a-z]+)*[.,:;!?)]*$/.test(text);
/** `name:password` in base64, as files of npm and Docker have it. */
const isBasicPair = (text: string): boolean =>
  /^[\x20-\x7e]{0,256}:[\x20-\x7e]{1,1024}$/.test(Buffer.from(text, "base64").toString("latin1"));

/** Tokens whose prefix means nothing else, each of its own length. */
const providerTokens = [
  // What signs, deploys and pays.
  "whsec_[A-Za-z0-9+/]{24,64}={0,2}",
  "do[opr]_v1_[a-f0-9]{64}",
  "rubygems_[a-f0-9]{48}",
  "AT[AC]TT3[A-Za-z0-9_=-]{50,512}",
  "ATBB[A-Za-z0-9_=.-]{28,60}",
  "pul-[a-f0-9]{40}",
  "PMAK-[a-f0-9]{24}-[a-f0-9]{34}",
  "HRKU-[A-Za-z0-9_-]{50,128}",
  String.raw`dp\.(?:ct|pt|sa|scim|st)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}`,
  "vercel_blob_rw_[A-Za-z0-9_]{30,64}",
  "fm[12]r?_[A-Za-z0-9+/]{60,2048}={0,2}",
  "fo1_[A-Za-z0-9_-]{43}",
  "sq0[a-z]{3}-[A-Za-z0-9_-]{22,43}",
  "key-[a-f0-9]{32}",
  "CCIPAT_[A-Za-z0-9]{16,32}_[a-f0-9]{40}",
  "bk(?:ua|aj|at)_[a-z0-9]{40}",
  "nfp_[A-Za-z0-9]{36}",
  "dd[pow]_[A-Za-z0-9]{36}",
  "rnd_[A-Za-z0-9]{28,32}",
  "oy2[a-z0-9]{43}",
  "cio[A-Za-z0-9]{32}",
  "AKCp[A-Za-z0-9]{69,76}",
  "cmVmdGtu[A-Za-z0-9]{56}",
  "dckr_oat_[A-Za-z0-9_-]{32,64}",
  "sha256~[A-Za-z0-9_-]{43}",
  "GR1348941[A-Za-z0-9_-]{20,50}",
  "sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}",
  "shippo_(?:live|test)_[a-f0-9]{40}",
  "duffel_(?:live|test)_[A-Za-z0-9_-]{43}",
  "EZ[AT]K[A-Za-z0-9]{54}",
  "FLWSECK(?:_TEST)?-[A-Za-z0-9]{32}-X",
  String.raw`access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}`,
  "access-(?:production|development|sandbox)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}",
  // Clouds and what stores.
  "sbp_[a-f0-9]{40}",
  "sb_secret_[A-Za-z0-9_-]{31}",
  "pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}",
  "napi_[a-z0-9]{64}",
  "LTAI[A-Za-z0-9]{17,21}",
  "AKID[A-Za-z0-9]{32}",
  String.raw`t1\.[A-Za-z0-9_-]{40,512}\.[A-Za-z0-9_-]{86}={0,2}`,
  String.raw`v1\.0-[a-f0-9]{24}-[a-f0-9]{146}`,
  "ops_eyJ[A-Za-z0-9_-]{200,2048}={0,2}",
  // AWS session tokens.
  "(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)[A-Za-z0-9+/]{80,2048}={0,2}",
  "AQVN[A-Za-z0-9_-]{35,38}",
  // What watches and tells.
  "(?:api|mob|sdk)-[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}",
  "NRAK-[A-Z0-9]{27}",
  "NRII-[A-Za-z0-9_-]{32}",
  "ph[xs]_[A-Za-z0-9]{43}",
  "sntrys_eyJ[A-Za-z0-9_-]{40,1024}={0,2}_[A-Za-z0-9+/]{43}",
  "sntryu_[a-f0-9]{64}",
  String.raw`dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}`,
  "sq[aup]_[a-f0-9]{40}",
  "x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}",
  "SK[a-f0-9]{32}",
  "re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,32}",
  "apify_api_[A-Za-z0-9]{36}",
  // What people write and plan with.
  "(?:secret_|ntn_)[A-Za-z0-9]{43,50}",
  String.raw`pat[A-Za-z0-9]{14}\.[a-f0-9]{64}`,
  "CFPAT-[A-Za-z0-9_-]{43}",
  "pat-(?:na|eu)[0-9]-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}",
  "rdme_[a-z0-9]{70}",
  "tfp_[A-Za-z0-9_.-]{40,64}",
  "lin_oauth_[a-f0-9]{64}",
  "pk_[0-9]{6,10}_[A-Z0-9]{32}",
  String.raw`1000\.[a-f0-9]{32}\.[a-f0-9]{32}`,
  String.raw`sk\.eyJ1[A-Za-z0-9_-]{8,256}\.[A-Za-z0-9_-]{20,24}`,
  String.raw`sl\.[Bu]\.?[A-Za-z0-9_-]{120,1024}`,
  "waka_[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}",
  "A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
  // Models, and what agents call.
  "xai-[A-Za-z0-9]{70,128}",
  "pplx-[A-Za-z0-9]{40,64}",
  "r8_[A-Za-z0-9]{37}",
  "csk-[a-z0-9]{48}",
  "fw_[A-Za-z0-9]{22,24}",
  "tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}",
  "e2b_[a-f0-9]{40}",
  "lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}",
  "nvapi-[A-Za-z0-9_-]{60,80}",
  "fc-[a-f0-9]{32}",
  "jina_[a-f0-9]{32}[A-Za-z0-9_-]{28}",
  "pcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{60,66}",
  "sk_[a-f0-9]{48}",
  "sk-lf-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}",
  "key_[a-f0-9]{64}",
  String.raw`AQ\.Ab8[A-Za-z0-9_-]{40,60}`,
  "pa-[A-Za-z0-9_-]{43}",
  "tgp_v1_[A-Za-z0-9_-]{43}",
  "wandb_v1_[A-Za-z0-9_]{60,90}",
  "sgamp_user_[A-Z0-9]{20,32}_[a-f0-9]{64}",
  "dtn_[a-f0-9]{64}",
  "bb_live_[A-Za-z0-9_-]{27}",
  "ctx7sk-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}",
];
const providerToken = new RegExp(
  `(?<![A-Za-z0-9_-])(?:${providerTokens.join("|")})(?![A-Za-z0-9])`,
  "g",
);

/** What stands before the mark within a token, and what begins with that mark. */
const markedTokens: readonly (readonly [front: string, marked: string])[] = [
  ["[A-Za-z0-9]{14}", String.raw`\.atlasv1\.[A-Za-z0-9_=-]{60,70}`],
  // Of Azure.
  ["[A-Za-z0-9+/]{44}", "AzFu[A-Za-z0-9+/]{6}=="],
  ["[A-Za-z0-9]{76}", "AZDO[A-Za-z0-9]{4}"],
  ["[A-Za-z0-9+/]{76}", String.raw`\+(?:ASt|AMC)[A-Za-z0-9+/]{6}[A-Za-z0-9+/=]{2}`],
  ["[A-Za-z0-9+/]{42}", String.raw`\+ACR[A-Za-z0-9+/]{6}`],
  ["[A-Za-z0-9]{52}", "JQQJ9[A-Za-z0-9]{27}(?:[A-Za-z0-9]{2}==)?"],
  // Of Mailchimp and Asana.
  ["[a-f0-9]{32}", "-us[0-9]{1,2}"],
  ["[12]/[0-9]{16}(?:/[0-9]{16})?", ":[a-f0-9]{32}"],
];

/** There is a user in the same command, as there is for no other `-p` of one of these words. */
const hasUser = String.raw`(?=[^\n|;&]{0,200}?[ \t](?:-u|--user))`;
/** Programs, what stands right in front of the password they are given, and what else is to be there. */
const commands: readonly (readonly [names: string, flag: string, condition?: string])[] = [
  ["mysql|mysqldump|mysqladmin|mariadb|mariadb-dump", "-p", hasUser],
  [
    "mysql|mysqldump|mysqladmin|mariadb|mariadb-dump",
    "-p",
    String.raw`(?=[^\n|;&]{0,200}?[ \t]-h)`,
  ],
  [
    String.raw`(?:docker|podman|helm registry|oras|crane auth|oc|nerdctl)[ \t]{1,4}login|mongo(?:sh|dump|restore|export|import)?|mycli|cqlsh|cypher-shell|snowsql|rabbitmqadmin|crackmapexec|netexec|nxc|evil-winrm|rdesktop|psexec(?:\.exe)?|twine upload|poetry publish|az login`,
    "-p[ \\t]{1,4}",
    hasUser,
  ],
  ["sshpass", "-p\\s{0,4}"],
  ["sqlcmd|bcp|mosquitto_[ps]ub|ipmitool|zip|unzip|zipcloak|ssh-keygen", "-P[ \\t]{1,4}"],
  ["ssh-keygen", "-N[ \\t]{1,4}"],
  ["7z[ar]?|unrar|rar", "-p"],
  ["redis-cli", "-a[ \\t]{1,4}"],
  ["plink|pscp|psftp|putty|klink|kitty", "-pw[ \\t]{1,4}"],
  ["ldap(?:search|modify|add|delete|passwd|whoami)", "-w[ \\t]{0,4}"],
  ["security add-(?:generic|internet)-password", "-w[ \\t]{1,4}"],
  ["keytool|jarsigner|apksigner", "-(?:store|key|srcstore|deststore)pass[ \\t]{1,4}"],
  ["x11vnc", "-passwd[ \\t]{1,4}"],
  ["xfreerdp3?|wlfreerdp", "/p:"],
  ["schtasks(?:\\.exe)?", "/r?p[ \\t]{1,4}"],
  ["htpasswd", "-(?=\\w{0,8}b)(?=\\w{0,8}n)\\w{1,8}[ \\t]{1,4}\\S{1,256}[ \\t]{1,4}"],
  ["htpasswd", "-(?=\\w{0,8}b)(?!\\w{0,8}n)\\w{1,8}[ \\t]{1,4}(?:\\S{1,256}[ \\t]{1,4}){2}"],
  ["rabbitmqctl", "(?:add_user|change_password)[ \\t]{1,4}\\S{1,256}[ \\t]{1,4}"],
  ["wpa_passphrase", "\\S{1,64}[ \\t]{1,4}"],
  ["mysqladmin", "password[ \\t]{1,4}", hasUser],
  ["mc alias set", "\\S{1,64}[ \\t]{1,4}https?:\\S{1,256}[ \\t]{1,4}\\S{1,256}[ \\t]{1,4}"],
  ["poetry config|composer config", "http-basic\\.\\S{1,128}[ \\t]{1,4}\\S{1,128}[ \\t]{1,4}"],
  ["az keyvault secret set", "--value[ =]{1,4}"],
  ["aws ssm put-parameter", "--value[ =]{1,4}", "(?=[^\\n]{0,400}SecureString)"],
  ["gh secret set", "(?:-b|--body)[ =]{0,4}"],
  // Tokens; prose has these words, too.
  [
    "vault|wandb|cargo|snyk|ngrok",
    "(?:login|auth|(?:config )?(?:add-)?authtoken)[ \\t]{1,4}(?=\\S{0,256}\\d)",
  ],
  ["vault operator unseal", "(?=\\S{0,256}\\d)"],
  ["influx|codecov|vercel", "-t[ \\t]{1,4}(?=\\S{0,256}\\d)"],
  ["nmcli", "password[ \\t]{1,4}"],
  ["swaks", "-ap[ \\t]{1,4}"],
  ["openssl", "-[kK][ \\t]{1,4}"],
  ["nuget push", "-k[ \\t]{1,4}"],
];

const quote = String.raw`\\{0,8}["']`;
// What stands between the name of a header and what it holds: a sign, as a field of an object too; the
// `value` beside it; the next text in a list, or what code is called with; in a configuration, a space.
const heads = `(?:(?:${quote},\\s{0,40}${quote}value)?(?:${quote})?\\s{0,4}[:=]\\s{0,4}\\[?b?(?:${quote})?|${quote},\\s{0,40}b?${quote}|\\s{1,4}${quote})`;
/** What a token is of that has no end of its own. */
const tokenOf = (length: number): string =>
  `(?<secret>[A-Za-z0-9._~+/=-]{${length}}[A-Za-z0-9._~+/=-]*)`;
const schemes =
  "apikey|api-token|aws|basic|bearer|bot|geniekey|key|klaviyo-api-key|negotiate|ntlm|sharedkey(?:lite)?|splunk|token|zoho-oauthtoken";

const patterns: readonly Pattern[] = [
  {
    // Some name an account in front of what it signs with.
    rule: "authorization",
    pattern: new RegExp(
      `\\bauthorization${heads}(?:(?:${schemes})\\s{1,4})?(?:[A-Za-z0-9_-]{1,64}:)?(?!AWS4-)${tokenOf(12)}`,
      "gi",
    ),
    // `request.headers.authorization` is code.
    isSecret: (text) => isMixed(text) && !/^[a-z_$]+(?:\.[a-z_$]+)+$/i.test(text),
  },
  {
    rule: "authorization",
    pattern: new RegExp(`\\bbearer\\s{1,4}${tokenOf(16)}`, "gi"),
    isSecret: isRandom,
  },
  {
    rule: "authorization",
    pattern: /\bbasic\s{1,4}(?<secret>[A-Za-z0-9+/]{8}[A-Za-z0-9+/]*={0,2})(?![A-Za-z0-9+/=])/gi,
    isSecret: isBasicPair,
  },
  {
    // What requests to AWS are signed with, and those by other schemes that name their fields.
    rule: "authorization",
    pattern:
      /(?:\bSignedHeaders=[a-z0-9;-]{1,1000},\s{0,4}Signature=|\bauthorization(?:\\{0,8}["'])?\s{0,4}[:=]\s{0,4}\\{0,8}["']?(?:digest|hawk|oauth|snowflake)\s[^\r\n]{0,1000}?\b(?:response|mac|oauth_signature|token)=\\{0,8}")(?<secret>[A-Za-z0-9%+/=_-]{16}[A-Za-z0-9%+/=_-]*)/gi,
    isSecret: hasDigit,
  },
  {
    rule: "api-key-header",
    pattern: new RegExp(
      `\\bx-(?:api-key|auth-token|access-token|goog-api-key|amz-security-token|functions-key)${heads}${tokenOf(12)}`,
      "gi",
    ),
    isSecret: hasDigit,
  },
  {
    rule: "cookie",
    pattern: new RegExp(
      `\\b(?:set-)?cookie${heads.replace("[:=]", ":")}(?<secret>[^\\r\\n"'\\\\]+)`,
      "gi",
    ),
    isSecret: isCookie,
  },
  {
    // As `curl` is given it, and a page.
    rule: "cookie",
    pattern:
      /(?:\bcurl[ \t](?:[^\n|;&]{0,400}?[ \t])?(?:-b|--cookie)[ =]{0,4}|\bdocument\.cookie\s{0,4}=\s{0,4})(?:\\{0,8}["'`])?(?<secret>[^\r\n"'`\\]+)/g,
    isSecret: isCookie,
  },
  {
    // A line of a file of cookies, as browsers once had it and `curl` has.
    rule: "cookie",
    pattern:
      /\b(?:TRUE|FALSE)\t\/\S{0,256}\t(?:TRUE|FALSE)\t\d{1,16}\t[^\s]{1,256}\t(?<secret>[^\s"'\\]{16}[^\s"'\\]*)/g,
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
    // Of less certain names, where it looks like one by itself.
    rule: "signed-url",
    pattern:
      /[?&;](?:auth|hdnea|hdnts|hmac|jwt|key|magic|session_?id|sid|signature)=(?<secret>[A-Za-z0-9%+/=_.~-]{16}[A-Za-z0-9%+/=_.~-]*)/gi,
    isSecret: isRandomLooking,
  },
  {
    // As `crypt`, `htpasswd` and others write down what a password was, to be guessed at.
    rule: "password-hash",
    pattern:
      /(?<![\w$])(?:\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|\$(?:apr1|[156])\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}|\$(?:y|7|gy)\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}|\$argon2(?:id|[id])\$(?:v=\d{1,3}\$)?m=\d{1,9},t=\d{1,9},p=\d{1,9}\$[A-Za-z0-9+/]{8,128}\$[A-Za-z0-9+/]{16,128}|pbkdf2_sha(?:1|256|512)\$\d{1,9}\$[A-Za-z0-9]{1,64}\$[A-Za-z0-9+/]{20,128}={0,2})/g,
  },
  {
    // A line of `.pgpass`.
    rule: "typed-password",
    pattern:
      /(?<![^\s"'`\\])(?:\*|localhost|[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}):(?:\*|\d{1,5}):(?:\*|[A-Za-z_][\w-]{0,63}):(?:\*|[A-Za-z_][\w-]{0,63}):(?<secret>[^\s"'`\\:]{6,256})(?![^\s"'`\\])/g,
    isSecret: isRandomLooking,
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
    // The same without a space, behind other flags of one letter or as `-U`, where the command is one
    // of `curl`: other programs have a `-u` too.
    rule: "typed-password",
    pattern:
      /\bcurl[ \t](?:[^\n|;&]{0,300}?[ \t])?-[A-Za-z]{0,8}[uU][ =]{0,4}\\{0,8}["']?[A-Za-z0-9][^\s:"'\\/{]{0,127}:(?!\/)(?<secret>[^\s"'`\\]{6,256})/g,
    isSecret: isTyped,
  },
  {
    // `name:password`, and what else programs have between the two.
    rule: "typed-password",
    pattern:
      /(?:\b(?:https?|httpie|xhs?)[ \t](?:[^\n|;&]{0,300}?[ \t])?(?:-a|--auth)[ =]{1,4}(?:\\{0,8}["'])?[\w.@+-]{1,128}:|[ \t]--(?:(?:src-|dest-)?creds|auth)[ =]{1,4}(?:\\{0,8}["'])?[\w.@+-]{1,128}:|\b(?:smbclient|rpcclient)[ \t](?:[^\n|;&]{0,300}?[ \t])?(?:-U|--user)[ =]{0,4}(?:\\{0,8}["'])?[\w.@+\\/-]{1,128}%|\blftp[ \t](?:[^\n|;&]{0,300}?[ \t])?-u[ ]{1,4}(?:\\{0,8}["'])?[\w.@+-]{1,128},|(?:\bsqlplus[ \t](?:-\w{1,16}[ \t]){0,4}(?:\\{0,8}["'])?|\bjdbc:oracle:\w{1,8}:)[\w.$-]{1,64}\/)(?<secret>[^\s"'`\\@]{6,256})/g,
    isSecret: isTyped,
  },
  ...commands.map(([names, flag, condition = ""]) => ({
    rule: "typed-password",
    // Behind its flag, in one command.
    pattern: new RegExp(
      String.raw`\b(?:${names})${condition}[ \t](?:[^\n|;&]{0,200}?[ \t])?${flag}(?:\\{0,8}["'])?(?![-/.]|env:|file:)(?<secret>[^\s"'\x60\\]{6,256})`,
      "g",
    ),
    isSecret: (text: string) => !isStandIn(text),
  })),
  {
    // What is piped to one that asks for a password.
    rule: "typed-password",
    pattern:
      /\b(?:echo|printf)[ \t]{1,4}(?:-n[ \t]{1,4}|(?:\\{0,8}["'])?%s(?:\\{1,8}n)?(?:\\{0,8}["'])?[ \t]{1,4})?(?:\\{0,8}["'])?(?<secret>[^\s"'`\\|;&]{6,256})(?:\\{0,8}["'])?[ \t]{0,4}\|[ \t]{0,4}(?=[^\n|;&]{0,200}?(?:--password-stdin|--passphrase-fd|--with-token|\bsudo -S|\bsudo --stdin|\bpasswd --stdin|\bchpasswd|\bcryptsetup|\bwrangler secret put))/g,
    isSecret: (text) => !isStandIn(text),
  },
  {
    // Statements of SQL.
    rule: "typed-password",
    pattern:
      /\b(?:IDENTIFIED(?:[ \t]{1,4}WITH[ \t]{1,4}\S{1,64})?[ \t]{1,4}BY|(?:ENCRYPTED|WITH|LOGIN)[ \t]{1,4}PASSWORD)(?:[ \t]{1,4}PASSWORD)?[ \t]{1,4}\\{0,8}["'](?<secret>[^\s"'`\\]{6,256})/gi,
    isSecret: (text) => !isStandIn(text) && !isWord(text),
  },
  {
    // `.netrc`, in one line or several, in any order. Sentences have its words too.
    rule: "typed-password",
    pattern:
      /\b(?:machine\s{1,8}\S{1,256}|default)\s{1,8}(?:(?:login|account|user)\s{1,8}\S{1,256}\s{1,8}){0,3}password\s{1,8}(?<secret>[^\s"'`\\]{6,256})/g,
    isSecret: (text) => !isStandIn(text) && !isWord(text),
  },
  {
    rule: "slack-token",
    pattern:
      /(?<![A-Za-z0-9-])(?:(?:xapp-\d|xoxe(?:\.xox[bp])?-\d)-[A-Za-z0-9-]{20,512}|xoxc-[0-9-]{20,64}[a-f0-9]{64}|xoxd-[A-Za-z0-9%+/_-]{40,512}={0,2})/g,
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
    pattern: new RegExp(
      [
        String.raw`\bdiscord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,22}/(?<secret>[A-Za-z0-9_-]{50,100})`,
        String.raw`\bhooks\.slack\.com/(?:workflows|triggers)/(?<secret>[A-Z0-9]{6,14}/[A-Za-z0-9/]{20,200})`,
        String.raw`\bwebhook\.office\.com/webhookb2/(?<secret>[a-f0-9-]{36}@[a-f0-9-]{36}/\w{1,32}/[a-f0-9]{32}/[A-Za-z0-9/_-]{36,128})`,
        String.raw`\bhooks\.zapier\.com/hooks/catch/(?<secret>\d{4,12}/[a-z0-9]{5,20})`,
      ].join("|"),
      "g",
    ),
  },
  { rule: "provider-token", pattern: providerToken, isSecret: isRandom },
  ...markedTokens.map(([front, marked]) => ({
    rule: "provider-token",
    // The mark first: it is rare, where what stands in front of it may begin anywhere.
    pattern: new RegExp(`(?<=(?<![A-Za-z0-9_-])(?<front>${front}))${marked}(?![A-Za-z0-9])`, "g"),
    isSecret: isRandom,
  })),
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
        const { front = "", secret: part = match[0] } = match.groups ?? {};
        const secret = front + part;
        // Of the groups, the secret is the last thing but for an `@`.
        const start = match.index + match[0].lastIndexOf(part) - front.length;
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
