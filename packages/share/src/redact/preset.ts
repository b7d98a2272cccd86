import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import type { SecretLintRuleContext, SecretLintRuleCreator } from "@secretlint/types";
import type { Hit } from "./hit.ts";
import { isPlaceholder } from "./likely-secret.ts";
import type { Rule } from "./rule.ts";

/**
 * Secretlint's recommended rules. They are not run by `lintSource`, which sets every rule up again
 * for each text and compares each pair of hits. Each rule is run only where it may find something.
 */
export function presetRules(): Rule[] {
  // A comment in the text must not switch rules off: a session may hold text of anybody.
  return rules.filter(({ meta }) => meta.id !== filterByComments).map(presetRule);
}

function presetRule(rule: (typeof rules)[number]): Rule {
  let hits: Reported[] = [];
  const handler = rule.create(
    contextFor(rule, (hit) => hits.push(hit)),
    options,
  );
  const [prefixes, precheck] = ruleFilters[shortName(rule.meta.id)] ?? [[], /(?:)/y];
  return {
    prefixes,
    find(text, at) {
      precheck.lastIndex = at;
      if (!precheck.test(text)) return undefined;
      hits = [];
      // Hits that it finds later would be missed: better no page than one that leaks.
      if (handler.file?.(sourceOf(text)) instanceof Promise) {
        throw new TypeError("a rule of secretlint's preset became asynchronous");
      }
      return { hits: hits.flatMap((hit) => exactHit(text, hit) ?? []), until: text.length };
    },
  };
}

/**
 * For each rule, what every text in which it finds something contains, and how that begins. This
 * holds for one version of the preset, which is why we pin that version. A rule that is not listed
 * sees every text.
 */
const ruleFilters: Readonly<
  Record<string, readonly [prefixes: Rule["prefixes"], precheck: RegExp]>
> = {
  aws: [
    ["A3T", "AKIA", "AGPA", "AIDA", "AROA", "AIPA", "ANPA", "ANVA", "ASIA", "account", "secret"],
    /(?:A3T|A[A-Z]{3})[A-Z0-9]{16}|(?:ACCOUNT|[Aa]ccount)_?(?:ID|[Ii]d)?["']?\s*[:=]>?\s*["']?\d{4}|(?:SECRET|[Ss]ecret)_?(?:ACCESS|[Aa]ccess)_?(?:KEY|[Kk]ey)["']?\s*[:=]>?\s*["']?[A-Za-z0-9/+=]{40}/y,
  ],
  privatekey: [["PRIVATE KEY"], /PRIVATE KEY/y],
  npm: [["npm_", "x-oauth-basic"], /npm_\w{36}|x-oauth-basic/y],
  basicauth: [["://"], /:\/\/[\w-]{1,256}:[\w-]{1,256}@/y],
  slack: [["xox", "xapp-", "hooks."], /xox[a-z]-|xapp-|hooks\.slack\.com\/services/iy],
  openai: [["T3BlbkFJ"], /T3BlbkFJ/y],
  anthropic: [["sk-ant-api0"], /sk-ant-api0/y],
  groq: [["gsk_"], /gsk_/y],
  huggingface: [["hf_"], /hf_[a-zA-Z]{34}/y],
  linear: [["lin_api_"], /lin_api_/y],
  notion: [["ntn_"], /ntn_/y],
  sendgrid: [["SG."], /SG\.\w/y],
  shopify: [["shppa_", "shpca_", "shpat_", "shpss_"], /shp[a-z]{2}_/y],
  stripe: [["sk_live", "sk_test", "rk_live", "rk_test"], /[sr]k_(?:live|test)_/y],
  github: [["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"], /gh[a-z]_\w|github_pat_/y],
  gitlab: [["glpat-"], /glpat-/y],
  grafana: [["glc_", "glsa_"], /glc_|glsa_/y],
  "1password": [["ops_ey"], /ops_ey/y],
  "database-connection-string": [
    ["mongodb", "mysql", "postgres"],
    /(?:mongodb(?:\+srv)?|mysqlx?|postgres(?:ql)?):\/\/[^:/\s]{1,100}:/iy,
  ],
  "hashicorp-vault": [["hvs.", "hvb.", "hvr."], /hv[sbr]\./y],
  vercel: [["vcp_", "vci_", "vca_", "vcr_", "vck_"], /vc[piark]_/y],
  databricks: [["dapi"], /dapi[A-Fa-f0-9]{32}/y],
  docker: [["dckr_pat_"], /dckr_pat_/y],
  figma: [["figd_"], /figd_/y],
  cloudflare: [["cfk_", "cfut_", "cfat_"], /cfk_|cfut_|cfat_/y],
  tailscale: [["tskey-"], /tskey-/y],
};

/** It counts as a scanner like the others. */
const filterByComments = "@secretlint/secretlint-rule-filter-comments";

function contextFor(
  { meta }: Pick<SecretLintRuleCreator, "meta">,
  found: (hit: Reported) => void,
): SecretLintRuleContext {
  return {
    sharedOptions: {},
    createTranslator: () => (messageId, data) => ({
      message: "",
      messageId: String(messageId),
      data,
    }),
    ignore() {},
    report({ message, range: [start, end] }) {
      const reported: unknown[] = Object.values(message.data ?? {});
      const secret = reported.find(
        (each) => typeof each === "string" && each.length === end - start,
      );
      const rule = ruleName(meta.id, message.messageId);
      found({ start, end, rule, secret: typeof secret === "string" ? secret : undefined });
    },
  };
}

type Reported = Hit & {
  /** The secret that the rule reports at this place. */
  readonly secret: string | undefined;
};

/**
 * The part of a match that is the secret.
 *
 * Some rules report the place of `name=secret` with only the length of the secret, which would
 * leave its end in the text. Others take what follows an address for a part of it.
 */
function exactHit(text: string, { rule, secret, ...place }: Reported): Hit | undefined {
  const start = secret === undefined ? place.start : text.indexOf(secret, place.start);
  const found = text.slice(start, start + place.end - place.start);
  const part = secretParts[rule]?.exec(found);
  if (part === null) return undefined;
  const [kept, from] = part === undefined ? [found, 0] : [part[0], part.index];
  if (isPlaceholder(kept)) return undefined;
  return { start: start + from, end: start + from + kept.length, rule };
}

const secretParts: Readonly<Record<string, RegExp>> = {
  "aws-account-id": /\d{4}-?\d{4}-?\d{4}/,
  // Up to the first character that no address has, without the punctuation that ends a sentence.
  "database-connection-string": /^[^@]{1,400}@[^\s"'`<>\\|{}]{0,900}(?<![.,;:!?)\]*_])/,
  // Not the name of a variable of npm's configuration.
  "npm-access-token": /^npm_[A-Za-z]{0,35}\d\w*$/,
};

/** The rule looks for key ids of AWS only on demand. */
const options = { enableIDScanRule: true };

function shortName(ruleId: string): string {
  return ruleId.replace("@secretlint/secretlint-rule-", "");
}

/** Makes `aws-access-key-id` of `@secretlint/secretlint-rule-aws` and `AWSAccessKeyID`. */
function ruleName(ruleId: string, messageId: string): string {
  const rule = shortName(ruleId);
  const detail = messageId
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();
  if (rule === "privatekey") return "private-key";
  return detail.startsWith(`${rule}-`) ? detail : rule;
}

type Source = Parameters<NonNullable<ReturnType<(typeof rules)[number]["create"]>["file"]>>[0];

/** A text without a file. Rules that would read a file find no path. */
function sourceOf(content: string): Source {
  const nowhere = (): never => {
    throw new TypeError("rules of the preset are asked for ranges only");
  };
  return {
    hasBOM: false,
    content,
    filePath: undefined,
    physicalFilePath: undefined,
    ext: "",
    contentType: "text",
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
    indexToPosition: nowhere,
    locationToRange: nowhere,
    positionToIndex: nowhere,
    rangeToLocation: nowhere,
  };
}
