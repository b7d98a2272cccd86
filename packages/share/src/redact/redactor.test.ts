// Nothing here is a credential, and no scanner may take it for one: each is joined from pieces.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type JsonValue, parseJson } from "@pond/canonical";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "./redactor.ts";

const joined = (...pieces: readonly string[]): string => pieces.join("");
const letters = "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zC0fU";
const mixed = (length: number): string => letters.repeat(length).slice(0, length);
const hex = (length: number): string => "0a1b2c3d4e5f6789".repeat(length).slice(0, length);
const alpha = (length: number): string => "qwErtZuiOpasDfghJk".repeat(length).slice(0, length);

const token = joined("gh", "p_", mixed(36));
const another = joined("gh", "p_", "x7", mixed(34));
const jwt = ["eyJ", "eyJ", ""].map((start) => joined(start, mixed(40))).join(".");
const dashes = "-".repeat(5);
const begin = joined(dashes, "BEGIN RSA PRIV", "ATE KEY", dashes);
const end = joined(dashes, "END RSA PRIV", "ATE KEY", dashes);
const pgpBegin = joined(dashes, "BEGIN PGP PRIV", "ATE KEY BLOCK", dashes);
const pgpEnd = joined(dashes, "END PGP PRIV", "ATE KEY BLOCK", dashes);
const keyLines = [joined("MI", "IE", mixed(60)), mixed(64), mixed(64), mixed(22)].join("\n");
const keyBlock = [begin, keyLines, end].join("\n");
const marked = (margin: (line: number) => string, text: string): string =>
  text.replaceAll(/^/gm, (_, at: number) => margin(text.slice(0, at).split("\n").length));
const puttyKey = joined("Private-", "Lines: 4\n", keyLines);
const basic = Buffer.from("ada:k9vW2mQx7T").toString("base64");
const at = (scheme: string, password: string): string =>
  joined(scheme, "://ada:", password, "@db.internal:5432/shop");

const aws4 = "Authorization: AWS4-HMAC-SHA256 Credential=a/s3, SignedHeaders=host;x-amz-date, ";
/** A password that is no word, however it is looked at. */
const scattered = "k9vW2mQx7Tb4Zp";
const uuid = "f1a4e000-7c1d-4b52-9a6e-2d1f0c5b7a01";
const upper = (length: number): string => mixed(length).toUpperCase();
const lower = (length: number): string => mixed(length).toLowerCase();

const idOf = (digits: string): string => Buffer.from(digits).toString("base64").replace(/=+$/, "");

const vault = (between: string): string => [hex(80), hex(80), hex(42)].join(between);

/** Of providers that have one form each: what begins them means nothing else. */
const providers: readonly string[] = [
  joined("AT", "BB", mixed(36)),
  joined("CCI", "PAT_", mixed(22), "_", hex(40)),
  joined("bk", "ua_", hex(40)),
  joined("nf", "p_", mixed(36)),
  joined("dd", "p_", mixed(36)),
  joined("rn", "d_", mixed(28)),
  joined("oy", "2", lower(43)),
  joined("ci", "o", mixed(32)),
  joined("AK", "Cp", mixed(69)),
  joined("cmVm", "dGtu", mixed(56)),
  joined("dckr", "_oat_", mixed(32)),
  joined("sha", "256~", mixed(43)),
  joined("GR13", "48941", mixed(20)),
  joined("sg", "p_", hex(16), "_", hex(40)),
  joined("ship", "po_live_", hex(40)),
  joined("duf", "fel_live_", mixed(43)),
  joined("EZ", "AK", mixed(54)),
  joined("FLW", "SECK_TEST-", hex(32), "-X"),
  joined("access_", "token$production$", lower(16), "$", hex(32)),
  joined("access-", "production-", uuid),
  joined("fo", "1_", mixed(43)),
  joined("sb_", "secret_", mixed(22), "_", mixed(8)),
  joined("psc", "ale_pw_", mixed(43)),
  joined("na", "pi_", lower(64)),
  joined("LT", "AI5t", mixed(18)),
  joined("AK", "ID", mixed(32)),
  joined("t", "1.", mixed(100), ".", mixed(86)),
  joined("v1", ".0-", hex(24), "-", hex(146)),
  joined("op", "s_eyJ", mixed(400)),
  joined("IQoJ", "b3JpZ2lu", mixed(200), "/+", mixed(100)),
  joined("FwoG", "ZXIvYXdz", mixed(200), "=="),
  joined(mixed(44), "Az", "Fu", mixed(6), "=="),
  joined(mixed(76), "AZ", "DO", mixed(4)),
  joined(mixed(76), "+A", "St", mixed(6), "=="),
  joined(mixed(42), "+A", "CR", mixed(6)),
  joined(mixed(52), "JQ", "QJ99", mixed(26)),
  joined("AQ", "VN", mixed(36)),
  joined("sd", "k-", uuid),
  joined("NR", "II-", mixed(32)),
  joined("ph", "x_", mixed(43)),
  joined("snt", "rys_eyJ", mixed(80), "_", mixed(43)),
  joined("snt", "ryu_", hex(64)),
  joined("dt", "0c01.", upper(24), ".", upper(64)),
  joined("sq", "u_", hex(40)),
  joined("xkey", "sib-", hex(64), "-", mixed(16)),
  joined(hex(32), "-u", "s12"),
  joined("S", "K", hex(32)),
  joined("re", "_", mixed(8), "_", mixed(24)),
  joined("api", "fy_api_", mixed(36)),
  joined("pa", "t", mixed(14), ".", hex(64)),
  joined("CF", "PAT-", mixed(43)),
  joined("pat", "-na1-", uuid),
  joined("rd", "me_", lower(70)),
  joined("tf", "p_", mixed(59)),
  joined("lin", "_oauth_", hex(64)),
  joined("p", "k_12345678_", upper(32)),
  joined("10", "00.", hex(32), ".", hex(32)),
  joined("s", "k.eyJ1", mixed(60), ".", mixed(22)),
  joined("s", "l.B", mixed(134)),
  joined("2/1234567890123456/1234567890123456:", hex(32)),
  joined("wa", "ka_", uuid),
  joined("A", "3-", "AB3DE6-GH9JK2-MN5PQ-8ST1V-W4XY7-ZC0FU"),
  joined("cs", "k-", lower(48)),
  joined("f", "w_", mixed(24)),
  joined("tv", "ly-dev-", mixed(32)),
  joined("e2", "b_", hex(40)),
  joined("ls", "v2_pt_", hex(32), "_", hex(10)),
  joined("nv", "api-", mixed(64)),
  joined("f", "c-", hex(32)),
  joined("ji", "na_", hex(32), mixed(28)),
  joined("pc", "sk_", mixed(5), "_", mixed(63)),
  joined("s", "k_", hex(48)),
  joined("s", "k-lf-", uuid),
  joined("ke", "y_", hex(64)),
  joined("AQ", ".Ab8", mixed(47)),
  joined("p", "a-", mixed(43)),
  joined("tg", "p_v1_", mixed(43)),
  joined("wan", "db_v1_", mixed(77)),
  joined("sg", "amp_user_01", upper(26), "_", hex(64)),
  joined("dt", "n_", hex(64)),
  joined("bb", "_live_", mixed(27)),
  joined("ctx7", "sk-", uuid),
];

/** Rule, what stands before the secret, the secret, what stands after it. */
type Example = readonly [rule: string, before: string, secret: string, after: string];

const examples: readonly Example[] = [
  // The preset's.
  ["aws-access-key-id", "key ", joined("AK", "IA", "Q7RT2WX5YZ3LMN4P"), "."],
  ["aws-secret-access-key", "aws_secret_access_key = ", mixed(40), "\n"],
  ["aws-secret-access-key", 'SECRET_ACCESS_KEY: "', joined("+/", mixed(38)), '"\n'],
  ["aws-account-id", '"account_id": "', "4096-2048-1024", '"\n'],
  ["npm-access-token", "", joined("np", "m_", mixed(36)), ","],
  ["slack-token", "(", joined("xo", "xb-", "123456789012-", mixed(24)), ")"],
  ["slack", "", joined("https://hooks.", "slack.com/services/T", "0A1/B2C/", mixed(24)), " "],
  ["basicauth", "see ", joined("https://ada:", "k9vW2mQx7T", "@git.corp"), "/shop."],
  ["openai-token", "", joined("s", "k-", mixed(20), "T3Blbk", "FJ", mixed(20)), "'"],
  ["anthropic-api-key", "", joined("s", "k-ant-", "api03-", mixed(93), "AA"), "\n"],
  ["groq-api-key", "", joined("gs", "k_", mixed(52)), "\n"],
  ["huggingface-user-access-token", "", joined("h", "f_", alpha(34)), "\n"],
  ["linear-api-token", "", joined("lin", "_api_", mixed(40)), "\n"],
  ["notion-integration-token", "", joined("nt", "n_", "12345678901", mixed(35)), "\n"],
  ["sendgrid-key", "", joined("S", "G.", mixed(22), ".", mixed(43)), "\n"],
  ["shopify-key", "", joined("shp", "at_", mixed(32)), "\n"],
  ["stripe-secret-key-live", "", joined("sk", "_live_", mixed(24)), "\n"],
  ["github-token", "", token, "."],
  ["github-token", "", joined("gh", "s_", "123_", jwt), " "],
  ["gitlab-personal-access-token", "", joined("gl", "pat-", mixed(20)), "\n"],
  ["grafana-cloud-api-token", "", joined("gl", "c_", mixed(40)), "\n"],
  ["grafana-service-account-token", "", joined("gl", "sa_", mixed(32), "_", hex(8)), "\n"],
  ["hashicorp-vault-service-token", "", joined("hv", "s.", mixed(95)), "\n"],
  ["vercel-personal-access-token", "", joined("vc", "p_", mixed(24)), "\n"],
  ["databricks-personal-access-token", "", joined("da", "pi", hex(32)), "\n"],
  ["docker-personal-access-token", "", joined("dckr", "_pat_", mixed(27)), "\n"],
  ["figma-personal-access-token", "", joined("fi", "gd_", mixed(40)), "\n"],
  ["cloudflare-user-api-token", "", joined("cf", "ut_", mixed(40), hex(8)), "\n"],
  ["tailscale-auth-key", "", joined("ts", "key-auth-", mixed(12), "-", mixed(24)), "\n"],
  ["database-connection-string", "It talks to ", at("postgres", "k9vW2mQx7T"), ". Both are fixed."],
  ["database-connection-string", '{"url":"', at("mysql", "k9vW2mQx7T"), '","retries":3}'],
  ["database-connection-string", "(", at("mongodb+srv", "k9vW2mQx7T"), ")."],
  ["private-key", "", keyBlock, "\nThat is it."],
  // Ours.
  ["private-key", "", puttyKey, "\nPrivate-MAC: and so on"],
  ["private-key", "", keyBlock.replaceAll(dashes, "---- ").replaceAll(/ (?=\n|$)/g, ""), "\n"],
  ["private-key", '{"key":"', keyBlock.replaceAll("\n", "\\n"), '\\n","id":7}'],
  ["private-key", "its end was cut:\n", [begin, keyLines].join("\n"), ""],
  ["private-key", "its beginning was cut:\n", [keyLines, end].join("\n"), "\nand so on"],
  // Cut, with fields in front of its lines, a short last one, a sum, and in what a listing, a
  // difference or a quotation puts in front of each.
  [
    "private-key",
    "",
    [begin, "Proc-Type: 4,ENCRYPTED", `DEK-Info: AES-128-CBC,${hex(32)}`, "", keyLines].join("\n"),
    "",
  ],
  [
    "private-key",
    '{"key":"',
    [pgpBegin, "Version: GnuPG v2", "Comment: of ada", "", keyLines].join("\\n"),
    '"}',
  ],
  ["private-key", "", [keyLines, "aB3=", end].join("\n"), "\n"],
  ["private-key", "", [keyLines, "aB3dE6", "=kL3x", pgpEnd].join("\n"), "\n"],
  ["private-key", "so:\n", marked((line) => `     ${line}→`, [keyLines, end].join("\n")), "\n"],
  ["private-key", "so:\n", marked(() => "-", [keyLines, "aB3=", end].join("\n")), "\n"],
  ["private-key", "so:\n", marked(() => "+", [keyLines, "aB3=", end].join("\n")), "\n"],
  ["private-key", "so:\n", marked(() => "> ", [keyLines, "aB3=", end].join("\n")), "\n"],
  ["authorization", "curl -H 'Authorization: Bearer ", mixed(24), "' localhost"],
  ["authorization", "Authorization: Basic ", joined(alpha(22), "=="), "\r\nHost: a"],
  // A header as a list of them has it, in JSON that is a text.
  ["authorization", '{"name": "Authorization", "value": "Basic ', joined(alpha(22), "=="), '"}'],
  ["authorization", '{\\"name\\":\\"Authorization\\",\\"value\\":\\"Basic ', mixed(24), '\\"}'],
  // With a scheme of a provider, an account in front, what it is signed with; as code has it.
  ["authorization", "Authorization: SharedKey shopdata:", joined(mixed(43), "="), "\n"],
  ["authorization", "Authorization: AWS 0PQR5FGHJK:", joined(mixed(27), "="), "\n"],
  ["authorization", "Authorization: GenieKey ", uuid, "\n"],
  ["authorization", `${aws4}Signature=`, hex(64), "\n"],
  ["authorization", `{"headers": "${aws4}Signature=`, hex(64), '"}'],
  ["authorization", 'Authorization: Digest username="ada", nonce="b", response="', hex(32), '"'],
  ["authorization", 'Authorization: Hawk id="a", ts="1", mac="', joined(mixed(43), "="), '"\n'],
  ["authorization", 'Authorization: OAuth a="b", oauth_signature="', joined(alpha(20), "%3D"), '"'],
  ["authorization", 'headers.set("Authorization", "token ', hex(40), '");'],
  ["authorization", "rawHeaders: [ 'Host', 'a', 'Authorization', 'Basic ", basic, "' ]"],
  ["authorization", "{'authorization': b'Basic ", basic, "'}"],
  ["authorization", 'proxy_set_header Authorization "Basic ', basic, '";'],
  ["authorization", "a header of basic ", basic, "\n"],
  ["api-key-header", "headers.append('X-API-Key', '", mixed(40), "');"],
  ["api-key-header", "x-functions-key: ", joined(mixed(54), "=="), "\n"],
  ["cookie", "rawHeaders: [ 'Cookie', '", joined("sid=", mixed(20)), "' ]"],
  ["cookie", 'document.cookie = "', joined("sid=", mixed(20), "; path=/"), '"'],
  ["cookie", "curl https://host -H 'a: b' -b '", joined("a=1; sid=", mixed(20)), "' --compressed"],
  ["cookie", "curl --cookie ", joined("sid=", mixed(20)), ""],
  ["cookie", ".corp.com\tTRUE\t/\tTRUE\t1735689600\tsid\t", mixed(26), "\n"],
  ["api-key-header", '{"name": "x-api-key", "value": "', mixed(24), '"}'],
  ["cookie", '{\n  "name": "Cookie",\n  "value": "', joined("sid=", mixed(24)), '"\n}'],
  ["authorization", "the header is Bearer ", mixed(32), ","],
  ["api-key-header", '"x-api-key": "', mixed(24), '"'],
  ["cookie", "Cookie: ", joined("theme=dark; sid=", mixed(24)), "\n"],
  ["jwt", "it is ", jwt, " now"],
  ["connection-string", "amqp://ada:", "k9vW2mQx7T", "@queue/"],
  ["connection-string", "redis://:", "k9vW2mQx7T", "@cache:6379/0."],
  // Lines of a difference, a name that is an address.
  ["connection-string", "+redis://:", "k9vW2mQx7T", "@cache:6379\n"],
  ["connection-string", "-amqp://ada:", "k9vW2mQx7T", "@queue/\n"],
  ["connection-string", "smtps://ada@corp.example:", "k9vW2mQx7T", "@mail.corp.example"],
  ["connection-string", "git clone https://", mixed(52), "@git.corp/a/b"],
  ["connection-string", "amqp://ada:", "k9@vW2m@Qx7T", "@queue/ and ada@corp.example"],
  ["connection-string", "amqp://ada:", "k9@vW2mQx7T", "@queue?from=ada@corp.example"],
  // Of any length: what is left of a secret is one too.
  ["connection-string", "https://aws:", mixed(2000), "@registry.corp/simple/"],
  ["authorization", "Authorization: Negotiate ", mixed(20_000), "\n"],
  ["authorization", "Bearer ", mixed(20_000), "\n"],
  ["api-key-header", "X-Amz-Security-Token: ", mixed(20_000), "\n"],
  ["cookie", "Cookie: ", joined("a=1; sid=", mixed(20_000)), "\n"],
  ["jwt", "", ["eyJ", "eyJ", ""].map((start) => joined(start, mixed(40_000))).join("."), "\n"],
  ["signed-url", "https://a.corp/b?X-Goog-Signature=", mixed(20_000), "&c=1"],
  [
    "assigned-secret",
    "//registry.local/:_authToken=",
    "f1a4e000-7c1d-4b52-9a6e-2d1f0c5b7a01",
    " -s",
  ],
  ["signed-url", "https://a.blob/b?sp=r&sig=", joined(alpha(20), "%2B%3D"), "&se=1"],
  ["basic-auth", "_auth=", basic, "\n"],
  ["basic-auth", '"https://registry.local": { "auth": "', basic, '" }'],
  ["basic-auth", '{\\"auth\\": \\"', basic, '\\"}'],
  ["typed-password", "curl -s -u ada:", "k9vW2mQx7T", " https://host"],
  ["typed-password", "curl --user 'ada:", "k9vW2mQx7T", "' https://host"],
  ["typed-password", "curl -uada:", "k9vW2mQx7T", " https://host"],
  ["typed-password", 'curl -sS -X POST -u\\"ada:', "k9vW2mQx7T", '\\" https://host'],
  ["typed-password", "sshpass -p '", "kvWmQxT", "' ssh host"],
  ["typed-password", "mysql -h db -uroot -p", "kvWmQxT", " shop"],
  ["typed-password", "docker login -u ada -p ", "kvWmQxT", " host"],
  // JSON in a string, as Codex has what tools are called with.
  ["typed-password", '{"cmd": "curl -u \\"ada:', "k9vW2mQx7T", '\\" https://host"}'],
  ["typed-password", '{"cmd": ["curl", "-u", "ada:', "k9vW2mQx7T", '", "https://host"]}'],
  ["typed-password", '{\\"cmd\\":[\\"curl\\",\\"-u\\",\\"ada:', "k9vW2mQx7T", '\\"]}'],
  ["typed-password", '{"cmd": "sshpass -p \\"', "kvWmQxT", '\\" ssh host"}'],
  ["typed-password", '{"cmd": "mysql -uroot -p\\"', "kvWmQxT", '\\" shop"}'],
  ["typed-password", '{"cmd": "docker login -u ada -p \\"', "kvWmQxT", '\\" host"}'],
  ["typed-password", "machine host login ada password ", "kvWmQxT", "\n"],
  ["typed-password", "machine host\n  login ada\n  password ", "kvWmQxT", "\n"],
  // Of other programs; piped; in statements; in any order.
  ["typed-password", "curl -sSLu ada:", "k9vW2mQx7T", " https://host"],
  ["typed-password", "curl -x proxy:3128 -U ada:", "k9vW2mQx7T", " https://host"],
  ["typed-password", "http -a ada:", "k9vW2mQx7T", " https://host"],
  ["typed-password", "skopeo copy --src-creds ada:", "k9vW2mQx7T", " docker://a"],
  ["typed-password", "smbclient //nas/a -U 'corp\\ada%", "k9vW2mQx7T", "'"],
  ["typed-password", "lftp -u ada,", "k9vW2mQx7T", " host"],
  ["typed-password", "sqlplus ada/", "k9vW2mQx7T", "@db:1521/shop"],
  ["typed-password", "jdbc:oracle:thin:ada/", "k9vW2mQx7T", "@db:1521/shop"],
  ["typed-password", "mysql -h db -p", "kvWmQxT", " shop"],
  ["typed-password", "mysql -h db -p", "12:3kvWmQxT", " shop"],
  ["typed-password", "mongosh -u ada -p ", "kvWmQxT", " --quiet"],
  ["typed-password", "helm registry login -u ada -p ", "kvWmQxT", " host"],
  ["typed-password", "sqlcmd -S db -U sa -P '", "kvWmQxT", "' -Q a"],
  ["typed-password", "zip -r -P ", "kvWmQxT", " a.zip b"],
  ["typed-password", "ssh-keygen -t ed25519 -N '", "kvWmQxT", "' -f a"],
  ["typed-password", "7z x a.7z -p", "kvWmQxT", " -y"],
  ["typed-password", "redis-cli -h cache -a ", "kvWmQxT", " ping"],
  ["typed-password", "plink -ssh ada@host -pw ", "kvWmQxT", " ls"],
  ["typed-password", "ldapsearch -x -D cn=a -w ", "kvWmQxT", " -b dc=a"],
  ["typed-password", "keytool -list -keystore a.jks -storepass ", "kvWmQxT", "\n"],
  ["typed-password", "xfreerdp /u:ada /p:", "kvWmQxT", " /v:host"],
  ["typed-password", "htpasswd -bc .htpasswd lovelace ", "kvWmQxT", "\n"],
  ["typed-password", "htpasswd -nbB lovelace ", "kvWmQxT", "\n"],
  ["typed-password", "rabbitmqctl add_user lovelace ", "kvWmQxT", "\n"],
  ["typed-password", "openssl enc -aes-256-cbc -k ", "kvWmQxT", " -in a"],
  ["typed-password", "vault login ", "k9vW2mQx7T", "\n"],
  ["typed-password", "aws ssm put-parameter --type SecureString --value ", "kvWmQxT", "\n"],
  ["typed-password", "gh secret set NAME --body '", "kvWmQxT", "'\n"],
  ["typed-password", "mc alias set a https://host ada ", "kvWmQxT", "\n"],
  ["typed-password", "echo ", "kvWmQxT", " | docker login -u ada --password-stdin"],
  ["typed-password", "printf '%s' '", "kvWmQxT", "' | sudo -S ls"],
  ["typed-password", "CREATE USER ada WITH PASSWORD '", "kvWmQxT", "';"],
  ["typed-password", "ALTER USER 'ada'@'%' IDENTIFIED BY '", "kvWmQxT", "';"],
  ["typed-password", "machine host\nlogin ada\naccount shop\npassword ", "kvWmQxT", "\n"],
  ["typed-password", "machine host password ", "kvWmQxT", " login ada"],
  ["slack-token", "", joined("xa", "pp-1-", "A0B1C2D3E4F-", "1234567890123-", hex(64)), "\n"],
  ["slack-token", "", joined("xo", "xe.xo", "xp-1-", mixed(146)), "\n"],
  ["slack-token", "", joined("xo", "xe-1-", mixed(146)), "\n"],
  ["gitlab-token", "", joined("gl", "rt-", mixed(20)), "\n"],
  ["gitlab-token", "", joined("gl", "ptt-", hex(40)), "."],
  ["gitlab-token", "", joined("gl", "pat-", mixed(27), ".01.", "0a1b2c3d4"), "\n"],
  ["google-client-secret", "", joined("GOC", "SPX-", mixed(28)), "\n"],
  ["google-refresh-token", "", joined("1/", "/0", mixed(60)), "\n"],
  ["azure-client-secret", "", joined("kv~8", "Q~", mixed(34)), "\n"],
  ["webhook", "https://discord.com/api/webhooks/123456789012345678/", mixed(68), "\n"],
  ["provider-token", "", joined("whs", "ec_", mixed(32)), "\n"],
  ["provider-token", "", joined("dop", "_v1_", hex(64)), "\n"],
  ["provider-token", "", joined("ATA", "TT3", mixed(180)), "\n"],
  ["provider-token", "", joined("r8", "_", mixed(37)), "\n"],
  ["provider-token", "", joined(mixed(14), ".atlas", "v1.", mixed(67)), "\n"],
  ["provider-token", "", joined("NR", "AK-", mixed(27).toUpperCase()), "\n"],
  ...providers.map((secret): Example => ["provider-token", "", secret, "\n"]),
  ["slack-token", "", joined("xo", "xc-", "123456789012-1234567890123-", hex(64)), "\n"],
  ["slack-token", "", joined("xo", "xd-", mixed(60), "%2B", mixed(20), "%3D"), "\n"],
  [
    "webhook",
    "https://hooks.slack.com/workflows/",
    joined("T0A1B2C3D/A0A1B2C3D4E/123456789012345678/", mixed(24)),
    "\n",
  ],
  ["webhook", "https://hooks.slack.com/triggers/", joined("T0A1B2C3D/1234567/", hex(32)), "\n"],
  ["webhook", "https://hooks.zapier.com/hooks/catch/", "1234567/b2cx9q7", "/"],
  [
    "webhook",
    "https://corp.webhook.office.com/webhookb2/",
    joined(uuid, "@", uuid, "/IncomingWebhook/", hex(32), "/", uuid),
    "\n",
  ],
  ["ansible-vault", "a: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  ", vault("\n  "), "\nadd: b\n"],
  ["ansible-vault", "$ANSIBLE_VAULT;1.2;AES256;prod\r\n", vault("\r\n"), "\r\n"],
  ["ansible-vault", '{"a":"$ANSIBLE_VAULT;1.1;AES256\\n', vault("\\n"), '\\n"}'],
  ["google-api-key", "", joined("AI", "za", mixed(35)), "\n"],
  ["google-access-token", "", joined("ya", "29.", mixed(60)), "\n"],
  ["pypi-token", "", joined("py", "pi-", "AgEI", mixed(60)), "\n"],
  ["telegram-bot-token", "bot ", joined("1234567890", ":AA", mixed(33)), "\n"],
  ["discord-bot-token", "", joined(idOf("123456789012345678"), ".Gx2b_-.", mixed(38)), "\n"],
  [
    "discord-bot-token",
    "Bot ",
    joined(idOf("98765432109876543"), ".", mixed(6), ".", mixed(27)),
    "'",
  ],
  ["age-secret-key", "", joined("AGE-SEC", "RET-KEY-1", mixed(58).toUpperCase()), "\n"],
  ["sk-token", "", joined("s", "k-or-v1-", hex(64)), "\n"],
  ["github-token", "", joined("github", "_pat_", mixed(30)), "\n"],
  ["assigned-secret", "export OPENAI_API_KEY=", mixed(32), "\nHOME=/root"],
  ["assigned-secret", "HOME=/root\nDB_PASSWORD=", "tr0ub4dor&3", "\nLANG=C"],
  ["assigned-secret", 'client_secret: "', mixed(20), '",'],
  ["assigned-secret", 'const apiKey: string = "', mixed(20), '";'],
  ["assigned-secret", '{\\"access_token\\": \\"', mixed(30), '\\", \\"n\\": 1}'],
  // Another quote in it, an escape, quotes that are no pair.
  ["assigned-secret", "DB_PASSWORD='", 'x"k9vW2mQx7T', "'; next"],
  ["assigned-secret", '{"password": "', "x'k9`vW2mQx7T", '", "n": "x"}'],
  ["assigned-secret", '{\\"password\\": \\"', "x'k9vW2mQx7T", '\\", \\"n\\": 1}'],
  ["assigned-secret", '{"password": "', 'x\\"k9\\\\vW2mQx7T', '", "n": "x"}'],
  ["assigned-secret", "password: '", "k9vW2mQx7T", '" it says'],
  ["assigned-secret", "deploy --token ", mixed(20), " --force"],
  ["assigned-secret", "password: ", "hunter2x", ", then go on."],
  ["assigned-secret", "?access_token=", mixed(24), "&page=2"],
  ["assigned-secret", "DB_PASS=", "k9vW2mQx7T", "\nDB_PORT=5432"],
  ["assigned-secret", "DB_PASS_PROD=", "hunter22", "\n"],
  ["assigned-secret", "SMTP_PASS: '", "k9vW2mQx7T!", "'\n"],
  ["assigned-secret", 'smtpPass: "', "hunter22", '",'],
  ["assigned-secret", '{"user": "ada", "pass": "', "k9vW2mQx7T", '"}'],
  ["assigned-secret", "User: ada, Pass: ", "k9vW2mQx7T", ", then go on."],
  ["assigned-secret", "PASS: '", "k9vW2mQx7T!", "'\n"],
  ["assigned-secret", "USER: ada\nPASS: ", "k9vW2mQx7T", "\n"],
  ["assigned-secret", '<add key="ApiKey" value="', mixed(20), '" />'],
  // As in JSON that is no text: the next in a list, all of a list, a value beside its name.
  ["assigned-secret", '["deploy", "--api-key", "', mixed(20), '"]'],
  ["assigned-secret", '[\\"deploy\\",\\n  \\"--api-key\\",\\n  \\"', mixed(20), '\\"]'],
  ["assigned-secret", '{"secret": ["', mixed(20), '"]}'],
  ["assigned-secret", '{\\"api_key\\":[\\"', mixed(20), '\\"]}'],
  ["assigned-secret", '{"name": "DB_PASSWORD", "value": "', "hunter2x", '"}'],
  ["assigned-secret", '{"name":"API_KEY","value":"', mixed(20), '"}'],
  ["assigned-secret", '{\n  "name": "API_KEY",\n  "value": "', mixed(20), '"\n}'],
  ["assigned-secret", '{\\"name\\": \\"API_KEY\\",\\n  \\"value\\": \\"', mixed(20), '\\"}'],
  ["assigned-secret", "- name: DB_PASSWORD\n  value: ", "hunter2x", "\n- name: A\n"],
  ["assigned-secret", "API Key: ", mixed(20), "\n"],
  // Values that stand below one another.
  ["assigned-secret", 'password             = "', "hunter2x", '"\nskip_final_snapshot = true\n'],
  ["assigned-secret", 'secret_key          : "', mixed(20), '"\n'],
  ["assigned-secret", "Host:            db\nPassword:        ", "hunter2x", "\n"],
  // Behind what stands in front of values of YAML, TOML, Python, SQL, Go, Rust, C and other code.
  ["assigned-secret", "password: ", "azl2VzJt==", "\n"],
  ["assigned-secret", "db:\n  password: |\n    ", "hunter2x", "\nnext: a"],
  ["assigned-secret", "api_key: >-\n  ", mixed(20), "\nnext: a"],
  ["assigned-secret", "password: &pw ", "hunter2x", "\n"],
  ["assigned-secret", "password: !!str ", "hunter2x", "\n"],
  ["assigned-secret", 'password = """\n', "hunter2x", '"""\n'],
  ["assigned-secret", "SECRET_KEY = b'", mixed(20), "'"],
  ["assigned-secret", "CREATE LOGIN ada WITH PASSWORD = N'", "hunter2x", "'"],
  ["assigned-secret", 'api_key: Optional[str] = "', mixed(20), '"'],
  ["assigned-secret", 'let api_key: &str = "', mixed(20), '";'],
  ["assigned-secret", 'const apiKey string = "', mixed(20), '"'],
  ["assigned-secret", 'public string ApiKey { get; set; } = "', mixed(20), '";'],
  ["assigned-secret", 'char api_key[] = "', mixed(20), '";'],
  ["assigned-secret", 'api_key <- "', mixed(20), '"'],
  ["assigned-secret", "<password><![CDATA[", "hunter2x", "]]></password>"],
  ["assigned-secret", "password：", "hunter2x", "\n"],
  ["assigned-secret", "**API key:** ", mixed(20), "\n"],
  ["assigned-secret", '{"Name": "DB_PASSWORD", "Value": "', "hunter2x", '"}'],
  ["assigned-secret", "<username>ada</username><password>", "hunter2x", "</password></server>"],
  // What a variable of Terraform is where nothing else is said.
  [
    "assigned-secret",
    'variable "db_password" {\n  type      = string\n  sensitive = true\n  default   = "',
    "hunter2x",
    '"\n}\n',
  ],
  [
    "assigned-secret",
    '{"a":"variable \\"api_key\\" {\\n  description = \\"of a shop\\"\\n  default = \\"',
    mixed(20),
    '\\"\\n}"}',
  ],
  // In other words, of other keys.
  ...[
    "Passwort: ",
    "mot de passe : ",
    "contraseña: ",
    "senha: ",
    "пароль: ",
    "密码：",
    "passcode: ",
  ].map((before): Example => ["assigned-secret", before, "hunter2x", "\n"]),
  ...["SMTP_PW=", "requirepass ", "psk="].map(
    (before): Example => ["assigned-secret", before, scattered, "\n"],
  ),
  ...["APP_KEY=", "AES_KEY=", "HMAC_KEY=", "FERNET_KEY=", "DEPLOY_KEY=", "LICENSE_KEY="].map(
    (before): Example => ["assigned-secret", before, mixed(32), "\n"],
  ),
  ["assigned-secret", "Ocp-Apim-Subscription-Key: ", hex(32), "\n"],
  ["assigned-secret", "DD-APPLICATION-KEY: ", hex(40), "\n"],
  ["assigned-secret", "Unseal Key 1: ", joined(mixed(43), "="), "\n"],
  ["signed-url", "https://host/a?key=", joined("k9vW2mQx7T", mixed(20)), "&b=1"],
  ["signed-url", "https://host/a?Expires=17&Signature=", joined("k9vW2mQx7T~", mixed(200)), "&b=1"],
  ["password-hash", "ada:", joined("$2y$", "10$", alpha(53)), "\n"],
  ["password-hash", "ada:", joined("$ap", "r1$", mixed(8), "$", mixed(22)), "\n"],
  ["password-hash", "ada:", joined("$", "6$", mixed(16), "$", mixed(86)), ":19700:0:99999:7:::\n"],
  [
    "password-hash",
    "ada:",
    joined("$", "y$j9T$", mixed(22), "$", mixed(43)),
    ":19700:0:99999:7:::\n",
  ],
  [
    "password-hash",
    "",
    joined("$arg", "on2id$v=19$m=65536,t=3,p=4$", mixed(22), "$", mixed(43)),
    "\n",
  ],
  ["password-hash", "", joined("pbkdf2", "_sha256$260000$", mixed(22), "$", mixed(43), "="), "\n"],
  ["typed-password", "db.internal:5432:shop:ada:", scattered, "\n"],
  ["typed-password", "*:*:*:postgres:", scattered, "\n"],
  // Named so, with less between the two, where it looks like one by itself.
  ["assigned-secret", "define('DB_PASSWORD', '", scattered, "');"],
  ["assigned-secret", 'os.Setenv("DB_PASSWORD", "', scattered, '")'],
  ["assigned-secret", 'os.getenv("API_KEY", "', scattered, '")'],
  ["assigned-secret", 'process.env.API_KEY || "', scattered, '";'],
  ["assigned-secret", "process.env.API_KEY ?? '", scattered, "';"],
  ["assigned-secret", 'config.setPassword("', scattered, '");'],
  ["assigned-secret", 'std::string password{"', scattered, '"};'],
  ["assigned-secret", 'api_key: Some("', scattered, '".into())'],
  ["assigned-secret", 'api_key: str = Field(default="', scattered, '")'],
  ["assigned-secret", "| DB_PASSWORD | ", scattered, " |"],
  ["assigned-secret", "| `DB_PASSWORD` | `", scattered, "` |"],
  ["assigned-secret", "│ API Key │ ", scattered, " │"],
  ["assigned-secret", "ENV API_KEY ", scattered, "\n"],
  ["assigned-secret", "setx API_KEY ", scattered, "\n"],
  ["assigned-secret", "set -gx OPENAI_API_KEY ", scattered, "\n"],
  ["assigned-secret", '#define API_KEY "', scattered, '"\n'],
  ["assigned-secret", "aws configure set aws_secret_access_key ", scattered, "\n"],
  ["assigned-secret", "fastcgi_param DB_PASSWORD ", scattered, ";"],
  ["assigned-secret", "The password is ", scattered, ", they say"],
  ["assigned-secret", "use the token ", scattered, "."],
  ["assigned-secret", "[sudo] password for ada: ", scattered, "\n"],
  ["assigned-secret", "Password for 'https://ada@host': ", scattered, "\n"],
  ["assigned-secret", "DB_PASSWORD,", scattered, "\n"],
  ["assigned-secret", "DB_PASSWORD\t", scattered, "\n"],
  ["assigned-secret", "<key>Password</key>\n\t<string>", scattered, "</string>"],
  ["assigned-secret", '<wsse:Password Type="PasswordText">', scattered, "</wsse:Password>"],
  ["assigned-secret", '{"api key": "', mixed(20), '"}'],
  ["assigned-secret", "Secret Access Key: ", joined("wJ4lr", mixed(30)), "\n"],
];

/** Those that nothing around them gives away. */
const selfEvident = examples.flatMap(([rule, before, secret]) =>
  before === "" && !rule.startsWith("private-key") ? [secret] : [],
);

describe("text", () => {
  it.each(examples)(
    "replaces a secret, by the rule %s, after %j",
    (rule, before, secret, after) => {
      const redactor = createRedactor();

      expect(redactor.text(joined(before, secret, after))).toBe(
        joined(before, `[redacted 1: ${rule}]`, after),
      );
      expect(redactor.counts()).toEqual([{ rule, count: 1 }]);
    },
  );

  it("leaves the text between a PuTTY key, which has no end mark, and another key", () => {
    const between = "\nPrivate-MAC: 0\nThat was the old one. The new one is this:\n";

    expect(createRedactor().text(joined(puttyKey, between, keyBlock))).toBe(
      joined("[redacted 1: private-key]", between, "[redacted 2: private-key]"),
    );
  });

  it.each([
    // Too short, too plain, or within a longer word.
    joined("AK", "IA", "Q7RT2WX5"),
    joined("gh", "p_", "short"),
    joined("np", "m_config_", "onnxruntime_node_install_cuda"),
    joined("h", "f_", "hub_download"),
    joined("s", "k-folding-cube-is-a-spinner-of-four"),
    joined("task-", "force-with-a-name-of-many-words-2026"),
    joined("AI", "za", "bc"),
    joined("ey", "Jhbg.", "ey", "J.x"),
    "12:34:56:AAbc",
    'variable "db_password" {\n  default = ""\n}\nvariable "region" {\n  default = "eu-West-1a2b3c4d5e"\n}',
    'variable "secret_name" {\n  default = "prod-Db1-x9y8z7"\n}\nvariable "token" { default = var.other }',
    "files that begin with $ANSIBLE_VAULT;1.1;AES256 are encrypted, $ANSIBLE_VAULT;1.1;AES256\nadded",
    joined(idOf("123456789012345678"), ".js.map, ", mixed(24), ".Gx2b_-.", mixed(38)),
    "shopify uses shpat_ and stripe sk_live_ in front of its keys",
    // Markers of keys without one.
    `if (text.startsWith("${begin}") && text.endsWith("${end}")) return parsePrivateKeyBlock(text);`,
    `${begin}\n...\n${end}`,
    `a file with ${begin} is internationalization of nothing`,
    `it ends so:\n  ${end}\n- ${end}\n=abcd\n${end}\nDone\n${end}`,
    // Addresses without a password, and what stands for one.
    "postgres://localhost:5432/shop and http://127.0.0.1:8080/a@b",
    "https://$USER:$PASSWORD@host/ https://ada:<password>@host/ ssh://git@github.com:22/a",
    "https://a-person-of-some-long-name@git.corp/a",
    "http://localhost:5173?from=@vite/client and mailto:ada@example.org",
    "git+ssh://git@host:shop/a, http://ada@localhost:5173?from=@vite/client",
    // Users and groups, options of other programs, and what only looks like base64.
    "docker run -u 1000:1000 -p 8080:8080 a; install -u www-data:www-data",
    "curl -u $USER:$PASSWORD https://host; curl -u ada:<password> https://host",
    "curl -s host && sort -ukey:Value12 a; curl -uadmin:password host; curl -upload:/srv/File2 host",
    "mysql -uroot -p shop; mysqldump --protocol=tcp -P 3306; sshpass -p $PASSWORD ssh host",
    "the machine login page asks for a password twice",
    'auth: "required", "auth": "oauth2Bearer", _auth = getAuth(x), auth=dGhpcyBpcyBub25l',
    "ffuf -u http://host:8080/FUZZ; gobuster dir -u http://10.0.0.1:8080/Admin2; diff -u a/x:Foo12 b",
    "rsync -u ada@host:/srv/Backups2024/ . && git fetch; pip install --user git+https://host/a/B2c",
    joined(
      "docker exec -u $",
      "{UID:-1000}:$",
      "{GID:-1000} web sh; unshare -u --map-users=a:B12345678",
    ),
    "docker run --name mysql -p3306:3306 image; gcc mysql.c -L mysql -pthread; mysql with -parallel",
    "mysql -h db -p shop; mongo --port 27017; zip -r a.zip -P; redis-cli -a $REDIS_PASSWORD ping",
    "ssh-keygen -t ed25519 -N '' -f key; 7z x a.7z -pX; keytool -storepass env:PASS12 -storetype JKS",
    "the mysql -h option, vault login failed, cargo login and snyk auth, wandb login first, vercel -t",
    "http -a b https://host; curl -fsSLu host:/srv; curl -U none; skopeo --creds $USER:$PASSWORD1",
    "echo hello | sudo -S ls; echo $PASSWORD1 | docker login --password-stdin; echo password1 | cat",
    "created with password authentication, identified by 'name', default user password authentication2",
    "docker login ghcr.io && mkdir -p /var/lib/data",
    "docker login\nmkdir -p /srv/data/x; docker start mysql\nnpm run build -production",
    "the default login and password fields; machine learning login page password handling",
    "on the machine the login needs password authentication.",
    "https://discord.com/api/webhooks/123456789012345678/messages",
    joined("gl", "pat-"),
    // What begins like the token of a provider, and is a name.
    "re_match_internationalization2names, fw_update_2, sk_buff_alloc_of_2, pat-na1-cities, key_2",
    joined(
      "api-",
      "route-of-the-2nd-",
      "version, sdk-2024-01-01, access-production-2, dtn_",
      hex(8),
    ),
    joined("https://host/1/", "1234567890123456:80 t1.micro v1.0-rc2 1000.5 SKU", hex(32)),
    "Private-Lines: 14 and the PrivateKeyReader2OfAllThoseFormats",
    // Headers, spoken of and in code.
    "Authorization: Bearer <token>",
    "authorization: request.headers.authorization",
    "const authorization = _build_authorization(envelope);",
    "the bearer of authentication-information-of-all",
    "Cookie: none; set-cookie: theme=dark",
    "Authorization: AWS4-HMAC-SHA256 Credential=other/x, SignedHeaders=host, Signature=<64 digits>",
    'Authorization: Digest realm="a", response="..." and Authorization: see docs/Authorization2.md',
    "basic internationalization, Basic authentication2, basic auth=; curl -b cookies.txt -c jar host",
    "headers.get('authorization', request.defaultAuthorization2); document.cookie = 'theme=dark'",
    // Assignments of what is no secret.
    "const token = tokenizer.next();",
    "password = getPassword1(user2)",
    "let secret = await vault.read(path)",
    'TOKEN = "[A-Za-z0-9._~+/-]+=*"',
    "api_key = os.environ['KEY_1']",
    joined("API_KEY=$", "{OPENAI_API_KEY_2}"),
    "PWD=/home/ada/Shop2",
    "OLDPWD=/srv/App7",
    "DB_PASSWORD_FILE=/run/Secrets/db1",
    'secret_name: "prod-database-1a2B3c4D5e6F"',
    '"react-one-time-password-field": "0.1.12"',
    '"store_password": "是否安全存储密码？"',
    "tmpl.PWD = path.ReplaceHomeDir2",
    "max_tokens: 128000, token_count=4096",
    '{"type": "token", "value": "some-name"}, {"name": "DB_PASSWORD", "value": "$DB_PASSWORD2"}',
    '{"name": "DB_PASSWORD", "valueFrom": {"key": "shop-Db2-Password"}}, the token value: none',
    "API_KEY                 the key of the API, PASSWORD        : see Docs2",
    'tokens: ["a1", "b2"], secret: [mixed1, 2], argv: ["--token", "--force"]',
    "pass: true, first_pass = 3, PASS=120000, PASS=$((PASS+1))",
    "PASS: 12 tests\n--- PASS: TestParse2Times (0.00s)\nPASS: tests/test-12.sh",
    "PASS: TestUTF8/as_X1 (0.00s)\nPASS: codec::Utf8To16x\nPASS: HTTPServer2Start, Render2dPass",
    '{"pass": "shadow2", "second_pass": "dead-code-elim-2"} pass: Matrix4x4;',
    "let pass = Render2dPass::new(Device4);",
    "bypass: k9vW2mQx7T, compass=k9vW2mQx7T, passes: k9vW2mQx7T",
    "DB_PASS_FILE=/run/Secrets/db1 DB_PASS=$DB_PASS SMTP_PASS: null",
    "API key: see docs/api-keys-2.md, api key: your-key-1a2B3c4D5e6F",
    "password: string; token?: string | undefined",
    "The token is refreshed when the password changes; secrets: none.",
    "git push --tokens and passwords: see docs/passwords-and-tokens-2.md",
    // Behind less than a sign stand words, code and what a page tells of.
    "the token Utf8ToUtf16Converter, a password bcryptRounds10, session key x25519Curve, token a1b2c3d4",
    "import { BearerToken, OAuth2Token } from 'x'; isinstance(key, (PrivateKey, Ed448PublicKey))",
    ":param PrivateKey|Ed25519PublicKey|Ed448PublicKey key: the secret, sha256Hash, or Token2Value",
    "| token | Base64Url | 12 |\n| password | hunter2 | yes |, password: Optional[str] = None",
    'getItem("auth_token_v2"), password = prompt("Enter Password2:"), token = read("token.Db1.json")',
    "the password is Password1, the token is in /srv/App2Token/k9vW2mQx7T, password for ada: none",
    "API_KEY or API_KEY2, secret is a Sha256HmacOf32Bytes, set TOKEN to true, ENV API_KEY your-Key-1",
    joined("password: |\n  first of several words\n  and more\napi_key: >-\n  $", "{API_KEY_2}\n"),
    "Create an API key: https://vercel.test/d?to=%2F%5Bteam%5D%2F%7E%2Fai%2Fapi-keys and go on",
    "#password_encryption = scram-sha-256\t\t# or md5, PASSWORD_POLICY=min8-Upper1",
    "https://(?<user>[-a-zA-Z0-9_]{1,256}):(?<password>[-a-zA-Z0-9_]{1,256})@host",
    "{buf: &#x3C;string|buffer>[, passphrase: &#x3C;string>]}",
    "a.ts:12:warning:foo:Foo2Bar, src/b.c:3:in:main:Abc12, 10.0.0.1:80:a:b:word12, ?key=page-2-of-all",
    "Cryptography_HAS_PSK_TLSv1_3: cryptography_has_psk_tlsv13, $1$2$3, $2b$, $apr1$, cost $6$, Passwort: keines, the private key 1: none, senha: obrigatória",
    '"a" + "b", &quot;&amp;&lt;, 12→no, token + "x" + "/some/path/of/File2" + "yes"',
    "- token: of the first\\n- password: none\n> secret: kept\n# key: 12\n  3\tpassword: hidden",
    // An option as programs declare it, and packages as lists of them have them.
    "add_argument('--secret-manager', action=parsers.StoreTrueFalseAction)",
    "parser.add_argument(\n  '--db-password',\n  type=Text2, help='...')",
    '"@octokit/auth-token": ["@octokit/auth-token@6.0.0", "", {}], "pgpass": ["pgpass@1.0.5"]',
    // The next of a list of headers, files of cookies, what code sets, ports.
    'allow: ["Authorization", "Access-Control-Allow-Origin", "Proxy-Authorization"]',
    "const names = ['cookie', 'authorization', 'Content-Security-Policy-Report-Only']",
    "curl -s -b cookies.txt -c cookies.txt http://host:3000/login?next=/dashboard/settings/12",
    "curl --cookie jar https://host/search?q=internationalization42 | jq",
    joined("document.cookie = `theme=$", "{encodeURIComponent(theme1)};max-age=31536000`"),
    "docker run --name mysql -p3306:3306 -u 1000 mysql:8; docker run -h db --name mysql -p33060:3306 a",
    "docker run --name mysql -p3306:3306/tcp -u 1000 a; docker run --name mysql -u 1 -p3306:3306",
    `{"run": "docker run -h db --name mysql -u 1000 -p3306:3306"}`,
    // Ids, hashes, pictures, paths.
    joined("toolu_01", mixed(22)),
    joined("call_", mixed(24)),
    joined("msg_01", mixed(22)),
    joined("req_", mixed(24)),
    joined("commit ", hex(40), "\nsha256:", hex(64)),
    joined("sha512-", mixed(86), "=="),
    "f1a4e000-7c1d-4b52-9a6e-2d1f0c5b7a01",
    joined("data:image/png;base64,iVBORw0KGgo", mixed(300)),
    "/home/ada/.config/pond/token-cache/v2/Index3.json",
    "key: a.b.c, keys: 12345678901234567890",
  ])("leaves %j as it is", (text) => {
    const redactor = createRedactor();

    expect(redactor.text(text)).toBe(text);
    expect(redactor.counts()).toEqual([]);
  });

  it("gives the same secret the same number, and counts its occurrences", () => {
    const redactor = createRedactor();

    const first = redactor.text(`${token} ${another} ${token}`);
    const second = redactor.text(`and ${jwt}, ${another}`);

    expect(first).toBe(
      "[redacted 1: github-token] [redacted 2: github-token] [redacted 1: github-token]",
    );
    expect(second).toBe("and [redacted 3: jwt], [redacted 2: github-token]");
    expect(redactor.counts()).toEqual([
      { rule: "github-token", count: 4 },
      { rule: "jwt", count: 1 },
    ]);
  });

  it.each<[string, string, readonly string[]]>([
    [
      "a private key of several lines",
      keyBlock,
      [
        JSON.stringify(keyBlock),
        JSON.stringify(JSON.stringify(keyBlock)),
        keyBlock.replaceAll("\n", "\r\n"),
        keyBlock.replaceAll(/^/gm, "+"),
        keyBlock
          .split("\n")
          .map((line, at) => `${String(at + 9).padStart(6)}→${line}`)
          .join("\n"),
      ],
    ],
    [
      "an assigned value",
      'API_KEY="k9v/W2mQ+x7Tb4Zp"',
      ['"api_key":"k9v\\/W2mQ+x7Tb4Zp"', "?api_key=k9v%2FW2mQ%2Bx7Tb4Zp&a=b"],
    ],
    ["a token", token, [joined("a = '", token.slice(0, 20), "' + '", token.slice(20), "'")]],
  ])("gives %s one number, however it is written", (_, first, others) => {
    const redactor = createRedactor();
    for (const text of [first, ...others]) {
      expect(redactor.text(text)).toMatch(/^[^[]*\[redacted 1: [a-z-]+\][^[]*$/);
    }
  });

  it("gives secrets that differ only in one sign different numbers, even if they hold a \\n", () => {
    const redactor = createRedactor();
    for (const [place, sign] of ["-", "+", "n"].entries()) {
      const redacted = redactor.text(joined('password="kv9', "\\nWm", sign, 'Qx1"'));
      expect(redacted).toBe(`password="[redacted ${place + 1}: assigned-secret]"`);
    }
  });

  // What the preset knows besides the examples: each rule of it is asked only where one of these is.
  it.each([
    ...["A3TX", "AGPA", "AIDA", "AROA", "AIPA", "ANPA", "ANVA", "ASIA"].map((id) =>
      joined(id, "Q7RT2WX5YZ3LMN4P"),
    ),
    joined("aws_account_id = ", "4096", "20481024"),
    joined("'SecretAccessKey' => '", mixed(40), "'"),
    joined("https://", mixed(20), ":x-oauth-", "basic@github.com/a"),
    joined("ftp", "s://ada:", "k9vW2mQx7T", "@files.corp.example/a"),
    ...["p", "a", "o", "r"].map((kind) => joined("xo", "x", kind, "-1234-", mixed(24))),
    joined("HTTPS://HOOKS.", "SLACK.COM/services/T", "0A1/B2C/", mixed(24)),
    joined("s", "k-proj-", mixed(74), "T3Blbk", "FJ", mixed(74)),
    ...["pa", "ca", "ss"].map((kind) => joined("sh", "p", kind, "_", mixed(32))),
    ...["sk_te", "rk_li", "rk_te"].map((kind) =>
      joined(kind, kind.endsWith("te") ? "st_" : "ve_", mixed(24)),
    ),
    ...["o", "u", "s", "r"].map((kind) => joined("g", "h", kind, "_", mixed(36))),
    at("MongoDB", "k9vW2mQx7T"),
    at("mysqlx", "k9vW2mQx7T"),
    joined("jdbc:", at("mysql", "k9vW2mQx7T")),
    at("postgresql", "k9vW2mQx7T"),
    joined("hv", "b.", mixed(150)),
    joined("hv", "r.", mixed(95)),
    ...["i", "a", "r", "k"].map((kind) => joined("vc", kind, "_", mixed(24))),
    joined("cf", "k_", mixed(40), hex(8)),
    joined("cf", "at_", mixed(40), hex(8)),
  ])("replaces %j, which the preset recognizes", (text) => {
    expect(createRedactor().text(`a ${text} b`)).toContain("[redacted 1: ");
  });

  it.each([
    ["AUTHORIZATION: BEARER ", mixed(24)],
    ["authorization: basic ", basic],
    ["X-API-KEY: ", mixed(24)],
    ["cOOKIE: ", joined("sid=", mixed(24))],
    ["Client_Secret: ", mixed(20)],
    ["PASSWORT: ", "hunter2x"],
    ["CONTRASEÑA: ", "hunter2x"],
    ["ПАРОЛЬ: ", "hunter2x"],
    ["create user ada identified by '", "kvWmQxT"],
    ["AMQP://ada:", "k9vW2mQx7T"],
  ])("finds a secret after %j, in capitals or not", (before, secret) => {
    const after = before.startsWith("AMQP") ? "@queue/" : "'";

    const text = createRedactor().text(joined(before, secret, after));

    expect(text).toMatch(/^[^[]*\[redacted 1: [a-z-]+\]['@/a-z]*$/);
    expect(text).not.toContain(secret);
  });

  it("replaces only the private members of a JSON Web Key", () => {
    const key = (d: string, p: string) => ({ p, kty: "RSA", e: "AQAB", n: mixed(342), d });
    const [d, p] = [`x7${mixed(340)}`, `y8${mixed(170)}`];
    const [one, two] = [1, 2].map((number) => `[redacted ${number}: assigned-secret]`);
    const value = { keys: [key(d, p)], d: mixed(342), a: { d: mixed(342) } };
    const expected = { ...value, keys: [key(two ?? "", one ?? "")] };

    expect(createRedactor().json(value)).toEqual(expected);
    for (const spaces of [0, 2]) {
      const text = JSON.stringify(value, null, spaces);
      for (const [whole, same] of [
        [text, JSON.stringify(expected, null, spaces)],
        [
          JSON.stringify({ text }),
          JSON.stringify({ text: JSON.stringify(expected, null, spaces) }),
        ],
      ] as const) {
        expect(createRedactor().text(whole)).toBe(same);
      }
    }
  });

  it.each([
    '{"use":{"by":["ada"]},"d":"D","kty":"EC"}',
    '{"kty":"EC","use":{"by":{"ada":{}}},"d":"D"}',
    '{"a":{"b":{}},"kid":"{shop}/1","kty":"EC","use":{},"d":"D","c":{}}',
  ])("replaces the private members of a key that holds other objects: %s", (key) => {
    const d = mixed(43);
    const text = `[{"d":"a1B2c3D4e5F6g7"},${key},{"k":"${d.slice(9)}"}]`;
    const written = (value: string) => text.replace('"D"', `"${value}"`);

    const redacted = createRedactor().text(written(d));

    expect(redacted).toBe(written("[redacted 1: assigned-secret]"));
  });

  it("replaces overlapping secrets as one, by the rule of the longest", () => {
    const text = createRedactor().text(`Cookie: a=${token}; b=${jwt}`);

    expect(text).toBe("Cookie: [redacted 1: cookie]");
  });

  it.each([
    ["JSON escapes", '{\\"a\\":\\"x\\n', '\\"}'],
    ["terminal colours", "\u001b[1;32m", "\u001b[0m"],
    ["escaped terminal colours", "key \\u001b[32m", "\\u001b[0m"],
    ["URL escapes", "redirect=%2Fa%3Ftoken%3D", "%26page%3D2"],
    ["URL escapes of several levels", "to=%252Fa%253Fto%253D%25252Fb%25253D", "%25252526page"],
    ["HTML entities", "a=&quot;", "&quot;"],
    ["numeric HTML entities", "a=&#39;", "&#x27;"],
    ["JavaScript escapes", "JSON.parse('{\\x22a\\x22:\\x22", "\\x22}')"],
  ])("finds a secret between %s", (_, before, after) => {
    const text = createRedactor().text(joined(before, token, after));

    expect(text).toBe(joined(before, "[redacted 1: github-token]", after));
  });

  const number = (line: number): string => `${String(line + 9).padStart(6)}→`;
  it.each([
    ["line numbers", number],
    ["line numbers and tabs", (line: number) => `    ${line}\t`],
    ["file names and line numbers", (line: number) => `k8s/a.yaml:${line}:`],
    ["line numbers and bars", (line: number) => ` ${line} | `],
    ["a diff's plus sign", () => "+"],
    ["a quotation sign", () => "> "],
    ["a comment sign", () => "# "],
  ])("finds a secret in several lines with %s in front of each", (_, front) => {
    const netrc = "machine host\nlogin ada\npassword hunter2x\n";
    const yaml = "- name: DB_PASSWORD\n  value: hunter2x\n- name: A\n";
    const block = "db:\n  password: |\n    hunter2x\nnext: a\n";

    for (const lines of [netrc, yaml, block].map((each) => marked(front, each))) {
      for (const text of [lines, JSON.stringify({ a: lines })]) {
        const redacted = createRedactor().text(text);

        expect(redacted.replace(/\[redacted 1: [\w-]+\]/, "hunter2x")).toBe(text);
        expect(redacted).not.toContain("hunter2x");
      }
    }
  });

  it.each(['" + "', "' . '", '" +\n    "', '\\" +\\n  \\"', "` + `"])(
    "replaces all of a secret that code joins by %j, and no more",
    (joint) => {
      const half = joint.slice(-1);
      const secret = joined(token.slice(0, 20), joint, token.slice(20));
      const text = joined("const a = ", half, secret, half, " + b");

      expect(createRedactor().text(text)).toBe(
        joined("const a = ", half, "[redacted 1: github-token]", half, " + b"),
      );
    },
  );

  it.each<[string, (base64: string) => string]>([
    ["a YAML field", (base64) => `data:\n  url: ${base64}\n`],
    [
      "lines of a YAML block",
      (base64) => `data: |\n${base64.replace(/.{76}/g, "$&\n")}\nnext: a\n`,
    ],
    ["lines of a JSON string", (base64) => JSON.stringify({ a: base64.replace(/.{64}/g, "$&\n") })],
    ["a URL", (base64) => `https://host/?a=${base64.replaceAll("=", "")}&b=1`],
    ["JSON that is itself base64", (base64) => Buffer.from(`{"a":"${base64}"}`).toString("base64")],
  ])("replaces only the secret in text that is base64 in %s", (_, within) => {
    const texts = (secret: string): string[] =>
      [0, 1, 2, 3].map((more) => `${"a line of it\n".repeat(12)}${secret}${"b".repeat(more)} end`);
    const encoded = (text: string): string => Buffer.from(text).toString("base64");

    for (const [at, text] of texts(` ${token}/`).entries()) {
      const redactor = createRedactor();
      const whole = redactor.text(within(encoded(text)));

      const same = within(encoded(texts(" [redacted 1: github-token]/")[at] ?? ""));
      // Written in one line, with the padding that its length asks for.
      const bare = (each: string): string => each.replaceAll(/\s|\\n|=/g, "");
      expect(bare(whole)).toBe(bare(same));
      expect(createRedactor().text(whole)).toBe(whole);
    }
  });

  it.each([" and so on", "abc: a", "\tand: a"])(
    "leaves %j below lines of base64, though it could be part of the base64",
    (after) => {
      const text = "a line of it\n".repeat(6).padEnd(144 - token.length);
      const encoded = (secret: string): string =>
        Buffer.from(`${text}${secret}`).toString("base64");
      const lines = encoded(token).replace(/.{64}/g, "$&\n");

      const redacted = createRedactor().text(joined(lines, after));

      expect(redacted).toBe(joined(encoded("[redacted 1: github-token]"), "\n", after));
    },
  );

  it.each(["cookie", "a and"])("leaves %j after base64, though decoders would skip it", (after) => {
    // With one `=` to end with, or with none.
    const length = after === "cookie" ? 59 : 60;
    const base64 = Buffer.from(`a text that says ${token}`.padEnd(length)).toString("base64");
    const text = joined(base64, after);

    const redacted = createRedactor().text(text);

    expect(redacted).not.toBe(text);
    expect(redacted.endsWith(after)).toBe(true);
  });

  it.each(['"', "'", "`"])(
    "does not read past the end of a JSON text where code joins strings after %j",
    (quote) => {
      const said = (secret: string): string => joined("run(", quote, secret, quote, " +");
      const value = { old: said(joined("sshpass -p ", "kvWmQxT1")), new: "b" };

      const redacted = createRedactor().text(JSON.stringify(value));

      expect(JSON.parse(redacted)).toEqual({
        ...value,
        old: said("sshpass -p [redacted 1: typed-password]"),
      });
    },
  );

  it.each(["\" + '", "' + \"", "` +\n  '", "\\\" + '", "' +\\n \\\""])(
    "replaces all of a secret that code joins by %j, whose quotes differ",
    (half) => {
      const text = joined("a = ", half[0] ?? "", token.slice(0, 20), half, token.slice(20), "; b");

      const redacted = createRedactor().text(text);

      expect(redacted).toBe(joined("a = ", half[0] ?? "", "[redacted 1: github-token]", "; b"));
    },
  );

  it("counts a secret in base64 once, and none that spans two base64 texts", () => {
    const encoded = (text: string): string => Buffer.from(text).toString("base64");
    const apart = [
      "a text of base64 that ends with password:",
      "k9vW2mQx7Tb4Zp begins another one",
    ];
    const redactor = createRedactor();
    redactor.text(apart.map(encoded).join("\na b\n"));
    redactor.text(`a: ${encoded(encoded(`a text that says ${token}`))}`);

    expect(redactor.counts()).toEqual([{ rule: "github-token", count: 1 }]);
  });

  it("takes time proportional to the length of base64 nested in base64", () => {
    const encoded = (text: string): string => Buffer.from(text).toString("base64");
    let text = `a text that says ${token}`;
    for (let depth = 0; depth < 24; depth += 1) text = encoded(text);

    const redactor = createRedactor();
    redactor.text(text);

    expect(redactor.counts()).toEqual([{ rule: "github-token", count: 1 }]);
  });

  it("leaves base64 that is not text or holds no secret as it is written", () => {
    const base64 = Buffer.from("a line of it\n".repeat(30)).toString("base64");
    const bytes = Buffer.from(mixed(300).repeat(3), "base64").reverse().toString("base64");
    const text = `${base64.replace(/.{76}/g, "$&\r\n")}\n${bytes}\n${token.slice(0, 20)}`;

    expect(createRedactor().text(text)).toBe(text);
  });

  it("leaves other strings that code joins to a secret", () => {
    const text = `const a = "api_key=${mixed(20)}" + ";" + b;`;

    expect(createRedactor().text(text)).toBe(
      'const a = "api_key=[redacted 1: assigned-secret]" + ";" + b;',
    );
  });

  it("finds a password in a command that goes on in another line", () => {
    const lines = "mysql -u ada \\\n  -h db \\\n  -pkvWmQxT shop";
    const command = JSON.stringify({ command: lines });

    for (const text of [lines, command, JSON.stringify({ command })]) {
      expect(createRedactor().text(text)).toBe(
        text.replace("kvWmQxT", "[redacted 1: typed-password]"),
      );
    }
  });

  it.each([
    [at("amqp", "k9vW2mQx7T"), "k9vW2mQx7T", "connection-string"],
    [at("postgres", "k9vW2mQx7T"), at("postgres", "k9vW2mQx7T"), "database-connection-string"],
  ])("finds a password in an address with escaped slashes: %s", (address, secret, rule) => {
    const escaped = (text: string): string => JSON.stringify({ a: text }).replaceAll("/", "\\/");

    for (const text of [escaped(address), escaped(escaped(address))]) {
      const redacted = createRedactor().text(text);

      expect(redacted).not.toContain("k9vW2mQx7T");
      expect(redacted).toContain(`[redacted 1: ${rule}]`);
    }
    expect(JSON.parse(createRedactor().text(escaped(address)))).toEqual({
      a: address.replace(secret, `[redacted 1: ${rule}]`),
    });
  });

  it.each<[rule: string, before: string, secret: string, after: string]>([
    ["authorization", "Authorization: Negotiate ", mixed(12_000_000), "\n"],
    ["jwt", "", ["eyJ", "eyJ", ""].map((start) => joined(start, mixed(8_000_000))).join("."), "\n"],
    ["signed-url", "https://a.corp/b?X-Goog-Signature=", mixed(12_000_000), "&c=1"],
    ["private-key", "", [begin, mixed(12_000_000)].join("\n"), "\n"],
  ])(
    "replaces a secret of many million characters by the rule %s",
    (rule, before, secret, after) => {
      const text = createRedactor().text(joined(before, secret, after));

      expect(text).toBe(joined(before, `[redacted 1: ${rule}]`, after));
    },
  );

  it.each(["disable", "disable-line", "disable-next-line"])(
    "lets no text switch a rule off with %s",
    (what) => {
      const text = createRedactor().text(`// secretlint-${what}\n${token}`);

      expect(text).toBe(`// secretlint-${what}\n[redacted 1: github-token]`);
    },
  );
});

describe("names of people", () => {
  const name = "[redacted 1: user-name]";

  it.each([
    ["/home/ada/shop", `/home/${name}/shop`],
    ["It is in /Users/ada.", `It is in /Users/${name}.`],
    ["(/home/ada)", `(/home/${name})`],
    ["file:///Users/ada.lovelace/a", `file:///Users/${name}/a`],
    ["C:\\Users\\Ada Lovelace\\a", `C:\\Users\\${name}\\a`],
    ["C:\\\\Users\\\\ada\\\\a", `C:\\\\Users\\\\${name}\\\\a`],
    ["c:/Users/ada", `c:/Users/${name}`],
    ['{"a": "\\/home\\/ada\\/x"}', `{"a": "\\/home\\/${name}\\/x"}`],
    ["\\\\\\\\/home\\\\\\\\/ada\\\\\\\\/x", `\\\\\\\\/home\\\\\\\\/${name}\\\\\\\\/x`],
    ["\\/Users\\/ada", `\\/Users\\/${name}`],
    ["\\\\wsl$\\Ubuntu\\home\\ada\\x", `\\\\wsl$\\Ubuntu\\home\\${name}\\x`],
    [
      "\\\\\\\\wsl.localhost\\\\Ubuntu-24.04\\\\home\\\\nina\\\\x",
      `\\\\\\\\wsl.localhost\\\\Ubuntu-24.04\\\\home\\\\${name}\\\\x`,
    ],
    ["~/.claude/projects/-home-ada-shop-api", `~/.claude/projects/-home-${name}-shop-api`],
    ["-Users-ada-Repositories-cli/a.jsonl", `-Users-${name}-Repositories-cli/a.jsonl`],
    ["-home-ada", `-home-${name}`],
    ["-home-page-shop", `-home-${name}-shop`],
    ["-mnt-c-Users-ada-x", `-mnt-c-Users-${name}-x`],
    ["drwx 3 root 96 1 Jan -home-ada-x\n", `drwx 3 root 96 1 Jan -home-${name}-x\n`],
    ['{"out":"a\\n-Users-ada-x"}', `{"out":"a\\n-Users-${name}-x"}`],
    ["--home-ada-shop--", `--home-${name}-shop--`],
    ["--Users-ada--", `--Users-${name}--`],
    ["sessions/--home-ada-my shop--/a.jsonl", `sessions/--home-${name}-my shop--/a.jsonl`],
    ["project/home-ada-shop/storage/a.json", `project/home-${name}-shop/storage/a.json`],
    ["/data/opencode/project/Users-ada/storage", `/data/opencode/project/Users-${name}/storage`],
    ["C--Users-ada-x", `C--Users-${name}-x`],
    ["--c--Users-ada-x--", `--c--Users-${name}-x--`],
  ])("are replaced in %j only if asked for", (text, expected) => {
    expect(createRedactor({ userNames: true }).text(text)).toBe(expected);
    expect(createRedactor().text(text)).toBe(text);
  });

  it.each([
    "/home/$USER/a",
    "/home/<you>/a",
    "/Users/.../a",
    "/home/",
    "/homes/ada",
    "my-home-page, stay-at-home-mom, non-Users-facing, ax--Users-y",
    ".page-home-hero, .block--home-page, .block--home-page-- { }",
    "--home-page-width: 1px; color: var(--home-bg); --home-x--y: 2",
    "tool --home-dir /a --home-page --Users-all",
    "java -home-dir /a -home-path=/b -home-page",
    "D:\\home\\site\\wwwroot and App\\home\\Controller",
    "-home-, --home--, -Users, C--users-guide",
    "project/home-page/index.html, project/home-storage, project/home-x/storages, a-project/home-b/c",
    `/home/${name}/a`,
  ])("are not found in %j", (text) => {
    expect(createRedactor({ userNames: true }).text(text)).toBe(text);
  });
});

describe("json", () => {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  /** As `base64 .env` prints it. */
  const wrapped = (text: string): string => text.replace(/.{64}/g, "$&\n");
  const one = "[redacted 1: github-token]";
  const assigned = "[redacted 1: assigned-secret]";
  const pair = "[redacted 1: basic-auth]";

  it.each<[string, JsonValue, JsonValue]>([
    [
      "the arguments of a tool",
      { input: { command: `A=${token}` } },
      { input: { command: `A=${one}` } },
    ],
    ["nested lists", [[1, [token]], null, true], [[1, [one]], null, true]],
    [
      "an object of more members than a call may have arguments",
      Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [at, at === 7 ? token : ""])),
      Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [at, at === 7 ? one : ""])),
    ],
    ["an object's keys", { [token]: { a: 1 } }, { [one]: { a: 1 } }],
    ["a field named password", { password: "hunter2x" }, { password: assigned }],
    [
      "environment variables",
      { env: { PATH: "/bin", API_KEY: mixed(20) } },
      { env: { PATH: "/bin", API_KEY: assigned } },
    ],
    [
      "a list in a field named secret",
      { tokens: ["a"], secret: [mixed(20)] },
      { tokens: ["a"], secret: [assigned] },
    ],
    ["a list, after a flag", ["deploy", "--api-key", mixed(20)], ["deploy", "--api-key", assigned]],
    [
      "a value beside its name",
      { name: "API_KEY", value: mixed(20) },
      { name: "API_KEY", value: assigned },
    ],
    [
      "an Authorization header",
      { Authorization: `Basic ${mixed(20)}` },
      { Authorization: "Basic [redacted 1: authorization]" },
    ],
    [
      "Docker's configuration",
      { auths: { host: { auth: basic } } },
      { auths: { host: { auth: pair } } },
    ],
    [
      "the arguments of curl",
      ["curl", "-u", "ada:k9vW2mQx7T"],
      ["curl", "-u", "ada:[redacted 1: typed-password]"],
    ],
    [
      "a list of API keys, after a short flag",
      { apiKey: ["-a", mixed(20)] },
      { apiKey: ["-a", assigned] },
    ],
    ["a cookie", { cookie: `sid=${mixed(20)}` }, { cookie: "[redacted 1: cookie]" }],
    [
      "bytes that are text",
      { type: "bytes", base64: base64(`a ${token}`) },
      { type: "bytes", base64: base64(`a ${one}`) },
    ],
    [
      "text in wrapped base64",
      { type: "base64", text: wrapped(base64(`${"a ".repeat(40)}${token}\n`)) },
      { type: "base64", text: base64(`${"a ".repeat(40)}${one}\n`) },
    ],
    [
      "text in base64 without padding",
      { type: "base64", text: base64(`a ${token}`).replace(/=+$/, "") },
      { type: "base64", text: base64(`a ${one}`) },
    ],
    [
      "plain text marked as base64",
      { type: "base64", text: `a ${token}` },
      { type: "base64", text: `a ${one}` },
    ],
    [
      "the fields beside bytes that are text",
      { type: "bytes", base64: base64("a"), note: `A=${token}`, [token]: 1 },
      { type: "bytes", base64: base64("a"), note: `A=${one}`, [one]: 1 },
    ],
  ])("replaces the secret in %s", (_, value, expected) => {
    expect(createRedactor().json(value)).toEqual(expected);
  });

  it.each<[string, JsonValue]>([
    [
      "bytes that are not text",
      { type: "bytes", base64: Buffer.from([255, 254, 0, 1]).toString("base64") },
    ],
    [
      "wrapped base64 without a secret as it was written",
      { type: "base64", text: wrapped(base64("a ".repeat(60))) },
    ],
    [
      "fields that only describe a secret",
      { token_type: "Bearer", secret_path: "/run/Secrets/db1", max_tokens: 4096 },
    ],
    ["headers without a secret", { authorization: "none", cookie: "theme=dark" }],
    ["numbers of any size", parseJson("[1e400, 12345678901234567890, -0]")],
    [
      "ids",
      { id: joined("toolu_01", mixed(22)), sessionId: "f1a4e000-7c1d-4b52-9a6e-2d1f0c5b7a01" },
    ],
  ])("leaves %s", (_, value) => {
    const redactor = createRedactor();

    expect(redactor.json(value)).toEqual(value);
    expect(redactor.counts()).toEqual([]);
  });

  it("keeps the key __proto__ as a key, and the order of keys", () => {
    const value = parseJson(`{"b":1,"__proto__":{"a":"${token}"},"a":2}`);

    const redacted = createRedactor().json(value);

    expect(JSON.stringify(redacted)).toBe(`{"b":1,"__proto__":{"a":"${one}"},"a":2}`);
    expect(Object.getPrototypeOf(redacted)).toBe(Object.prototype);
  });

  it("keeps a redacted key apart from a key that looks like its placeholder", () => {
    const redacted = createRedactor().json({ [one]: 1, [token]: 2 });

    expect(redacted).toEqual({ [one]: 1, [`${one}'`]: 2 });
  });

  it("replaces a secret at any depth", () => {
    const depth = 10_000;
    let value: JsonValue = token;
    for (let level = 0; level < depth; level += 1) value = level % 2 ? { a: value } : [value];

    let redacted: JsonValue = createRedactor().json(value);
    for (let level = depth - 1; level >= 0; level -= 1) {
      redacted = (redacted as { [key: string]: JsonValue })[level % 2 ? "a" : "0"] ?? null;
    }

    expect(redacted).toBe(one);
  });
});

it("uses no group name twice in an expression, which Node 22 refuses", async () => {
  const flags = ["--no-js-regexp-duplicate-named-groups", "--no-warnings"];
  const patterns = join(import.meta.dirname, "patterns.ts");

  const { stderr } = await promisify(execFile)(process.execPath, [...flags, patterns]);

  expect(stderr).toBe("");
});

describe("for any text", () => {
  const words = fc.constantFrom(
    ..."the token of a password is kept secret by its key session and cookie ; : - , . ( ) \n = /home /Users".split(
      " ",
    ),
  );
  const pieces = fc.oneof(
    fc.constantFrom(...examples.map(([, ...texts]) => texts.join(""))),
    fc.constantFrom(...examples.map(([, , secret]) => secret)),
    fc.constantFrom(
      ..."= : \" ' \\ / @ - _ . , ; ( [ ] { } \n".split(" "),
      " ",
      "/home/ada/",
      "C:\\Users\\ada",
    ),
    words,
    fc.string({ maxLength: 12, unit: "binary" }),
  );
  const texts = fc.array(pieces, { maxLength: 12 }).map((list) => list.join(""));

  // Enough that what takes quadratic time would not end.
  it.each(
    [
      "\\",
      "-",
      "/home\\",
      "/home/",
      "\\wsl$\\",
      "\\wsl$\\a\\home",
      "-home-",
      " -home-a",
      " --home-a-",
      ",--home-a",
      "/project/home-a",
      " --C--Users-",
      "PASS",
      " pass",
      "DB_PASS_",
      "pass: a=",
      "PASS=",
      "PASS: Abc1ABC1",
      "api key",
      "api key: a",
      "mysql -p",
      " -u a:",
      "machine login a password ",
      "docker login ",
      "Private-Lines: 1\n",
      "auth=a",
      "+a-a",
      "a://b:c@",
      "a://b:",
      "b:c@",
      "@",
      "eyJ",
      "eyJaaaaaaaa.eyJ",
      "cookie: a=",
      "authorization=",
      "bearer ",
      "?sig=",
      "token,",
      "token        ",
      "token:        ",
      "token value",
      'token","value',
      "token: [",
      '--token","',
      '"-u","a',
      "curl -u",
      "curl -ua",
      'cookie","value',
      'authorization","value":"',
      "\\/",
      "%25",
      "cGFz",
      `${"cGFz".repeat(19)}\n`,
      `${Buffer.from("a text that has no secret").toString("base64")} `,
      "curl -b ",
      "token | ",
      "token = Foo(",
      "password: |\n ",
      "machine a login b account c ",
      "echo a | sudo ",
      "zip -P ",
      '"kty":"RSA"',
      '{"kty":"RSA","d":"',
      '"kty":"RSA"}',
      'variable "token" { default ',
      `$ANSIBLE_VAULT;1.1;AES256\n${hex(80)}\n`,
      '" + "',
      "  12→",
      "&quot;",
      "https://",
    ].map((piece) => [piece, piece.repeat(400_000 / piece.length)]),
  )("takes time proportional to the length: %j", (_, text) => {
    const redactor = createRedactor({ userNames: true });

    expect(redactor.text(redactor.text(text))).toBe(redactor.text(text));
  });

  it.each([
    ["wpa_passphrase shop ", "hunter2x", ""],
    ["wpa_passphrase 'my shop' ", "hunter2x", " > a.conf"],
    [String.raw`wpa_passphrase \"my shop\" \"`, "hunter2x", String.raw`\" > a.conf`],
    [String.raw`wpa_passphrase my\ shop `, "hunter2x", " > a.conf"],
    ["htpasswd -b curl -b ", "kvWmQxT", " a\n"],
  ])("does not redact a placeholder again after %j", (before, secret, after) => {
    const once = createRedactor().text(joined(before, secret, after));

    expect(once).toBe(joined(before, "[redacted 1: typed-password]", after));
    expect(createRedactor().text(once)).toBe(once);
  });

  it("takes linear time for many ends of keys in one line", () => {
    const text = `a ${end}`.repeat(300_000);

    expect(createRedactor().text(text)).toBe(text);
  });

  it.each(["sshpass -p\t", "sshpass -p\n", "docker login -u ada -p\t"])(
    "does not take a tab or a line break before a placeholder for a colour code: %j",
    (before) => {
      const once = createRedactor().text(`${before}kvWmQxT host`);

      expect(once).toBe(`${before}[redacted 1: typed-password] host`);
      expect(createRedactor().text(once)).toBe(once);
    },
  );

  it("changes nothing when applied again", () => {
    fc.assert(
      fc.property(texts, fc.boolean(), (text, userNames) => {
        const redactor = createRedactor({ userNames });
        const once = redactor.text(text);

        expect(redactor.text(once)).toBe(once);
        expect(createRedactor({ userNames }).text(once)).toBe(once);
      }),
    );
  });

  it("changes nothing in JSON when applied again", () => {
    const names = fc.constantFrom("token", "name", "value", "cookie", "authorization", "__proto__");
    const value = fc.object({
      key: fc.oneof(names, texts),
      values: [texts, fc.nat()],
      maxDepth: 3,
    });
    fc.assert(
      fc.property(value, (object) => {
        const redactor = createRedactor({ userNames: true });
        const once = redactor.json(parseJson(JSON.stringify(object)));

        expect(JSON.stringify(redactor.json(once))).toBe(JSON.stringify(once));
      }),
    );
  });

  it("refuses a circular value, and accepts one that occurs twice", () => {
    const looped: Record<string, JsonValue> = { a: { list: [token] } };
    const twice = { one: looped["a"] as JsonValue, other: looped["a"] as JsonValue };

    const redacted = createRedactor().json(twice);
    Object.assign(looped["a"] as object, { self: [looped] });

    expect(redacted.one).toEqual({ list: [expect.stringContaining("[redacted 1: ")] });
    expect(redacted.other).toEqual(redacted.one);
    expect(() => createRedactor().json(looped)).toThrow(TypeError);
  });

  it("leaves sentences of ordinary words unchanged", () => {
    fc.assert(
      fc.property(fc.array(words, { maxLength: 60 }), (list) => {
        const text = list.join(" ");

        expect(createRedactor().text(text)).toBe(text);
      }),
    );
  });

  it("leaves no secret that is evident by itself, however it is quoted", () => {
    const standing = fc.constantFrom(...selfEvident);
    const quotes = fc.constantFrom<readonly [string, string]>(
      ...[" ", "\n", '"', "'", "`", "**", "|", "\\n", "\\\\n", '\\"', "\\t"].map(
        (each) => [each, each] as const,
      ),
      ["\u001b[32m", "\u001b[0m"],
      ["\\u001b[1;32m", "\\u001b[0m"],
      ["=", "\r\n"],
      ["%3D", "%26"],
      ["?a=", "&b"],
      ["\\u003d", "\\u0026"],
      ["(", ")."],
      ["<a>", "</a>"],
    );
    fc.assert(
      fc.property(words, quotes, standing, words, (before, [open, close], secret, after) => {
        const text = joined(before, open, secret, close, after);

        expect(createRedactor().text(text)).not.toContain(secret);
      }),
      { numRuns: 1000 },
    );
  });

  it("leaves none of many secrets", () => {
    const standing = fc.constantFrom(token, another, jwt, keyBlock);
    fc.assert(
      fc.property(fc.array(fc.tuple(words, standing), { maxLength: 8 }), (list) => {
        const text = createRedactor().text(list.flat().join(" \n "));

        for (const [, secret] of list) expect(text).not.toContain(secret);
      }),
    );
  });
});
