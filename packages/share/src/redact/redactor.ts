import { isJsonObject, isRawNumber, type JsonValue } from "@pond/canonical";
import { base64Fields, fileText } from "../file-text.ts";
import { assignmentRule, fieldRule, isSecretField, variableRule } from "./assignments.ts";
import { mapEncoded } from "./encoded.ts";
import type { Hit } from "./hit.ts";
import { patternRules, userNameRules } from "./patterns.ts";
import { presetRules } from "./preset.ts";
import { privateKeyRule } from "./private-keys.ts";
import { createScan, type RankedHit } from "./scan.ts";
import { normalizedSecret, unescapedVersions } from "./unescaped.ts";
import { memberName, webKeyRule } from "./web-keys.ts";

/** What to replace besides secrets. */
export type RedactorOptions = {
  /**
   * Also replaces people's names in paths of home folders, and in folders named after such a path.
   */
  readonly userNames?: boolean;
};

/** How many places a rule replaced. */
export type RedactedCount = { readonly rule: string; readonly count: number };

/**
 * Replaces secrets by `[redacted N: rule]`. One redactor replaces the same secret by the same
 * placeholder in everything it reads.
 */
export type Redactor = {
  /**
   * Returns the text without its secrets.
   *
   * @param text - The whole text: a secret that is split between two texts is not found.
   */
  text(text: string): string;
  /**
   * Returns the same value with every text and key redacted, and the text of files in base64 too.
   *
   * @throws {TypeError} for a value that contains itself.
   */
  json<Value extends JsonValue>(value: Value): Value;
  /** The number of replacements so far by rule, the most frequent rule first. */
  counts(): RedactedCount[];
};

/** Names of headers, of files, and of `curl`. */
const headerName = /^(?:(?:proxy-)?authorization|(?:set-)?cookie|_?auth|-u|--user|--proxy-user)$/i;

/** Text next to a secret may look like another secret once a placeholder stands there. */
const maxPasses = 8;

/** The length of the shortest secret. */
const minSecretLength = 6;

/** Creates a redactor with no counts yet. It finds only secrets of well-known forms. */
export function createRedactor({
  userNames: redactsUserNames = false,
}: RedactorOptions = {}): Redactor {
  const rules = [
    ...presetRules(),
    privateKeyRule,
    ...patternRules,
    assignmentRule,
    variableRule,
    webKeyRule,
  ];
  const scan = createScan(redactsUserNames ? [...rules, ...userNameRules] : rules);
  const placeholders = new Map<string, string>();
  const counts = new Map<string, number>();

  const placeholder = (secret: string, rule: string): string => {
    counts.set(rule, (counts.get(rule) ?? 0) + 1);
    const normalized = normalizedSecret(secret);
    const known = placeholders.get(normalized);
    if (known !== undefined) return known;
    const made = `[redacted ${placeholders.size + 1}: ${rule}]`;
    placeholders.set(normalized, made);
    return made;
  };

  const redactOnce = (whole: string): string => {
    if (whole.length < minSecretLength) return whole;
    const found = scan(whole);
    for (const { text: other, written } of unescapedVersions(whole)) {
      for (const hit of scan(other)) found.push({ ...hit, ...written(hit) });
    }
    const hits = outsidePlaceholders(mergeHits(found), whole);
    if (hits.length === 0) return whole;
    const pieces: string[] = [];
    let at = 0;
    for (const { start, end, rule } of hits) {
      pieces.push(whole.slice(at, start), placeholder(whole.slice(start, end), rule));
      at = end;
    }
    pieces.push(whole.slice(at));
    return pieces.join("");
  };

  const text = (whole: string): string => {
    let redacted = whole;
    for (let count = 0; count < maxPasses; count += 1) {
      const next = redactOnce(mapEncoded(redacted, text));
      if (next === redacted) break;
      redacted = next;
    }
    return redacted;
  };

  const field = (name: string, value: string): string => {
    if (isSecretField(name, value)) return placeholder(value, fieldRule);
    if (!headerName.test(name)) return text(value);
    // A rule that recognises a value by the name of its header has to see that name.
    const line = text(`${name}: ${value}`);
    return line.startsWith(`${name}: `) ? line.slice(name.length + 2) : text(value);
  };

  return {
    text,
    json: (value) => mapTexts(value, { text, field }) as typeof value,
    counts: () =>
      [...counts]
        .map(([rule, count]) => ({ rule, count }))
        .sort((a, b) => b.count - a.count || (a.rule < b.rule ? -1 : 1)),
  };
}

/** The hits in order. Hits that overlap become one, named after the longest. */
function mergeHits(hits: readonly RankedHit[]): Hit[] {
  if (hits.length === 0) return [];
  const sorted = [...hits].sort((a, b) => a.start - b.start || b.end - a.end || a.rank - b.rank);
  const apart: Hit[] = [];
  let longest = 0;
  for (const hit of sorted) {
    const last = apart.at(-1);
    if (last === undefined || hit.start >= last.end) {
      apart.push(hit);
      longest = hit.end - hit.start;
      continue;
    }
    const isLonger = hit.end - hit.start > longest;
    if (isLonger) longest = hit.end - hit.start;
    const end = Math.max(last.end, hit.end);
    apart[apart.length - 1] = { start: last.start, end, rule: isLonger ? hit.rule : last.rule };
  }
  return apart;
}

const everyPlaceholder = /\[redacted \d{1,9}: [a-z-]+\]/g;

/** The hits, which are in order, without any part that lies in a placeholder they cut through. */
function outsidePlaceholders(hits: readonly Hit[], text: string): readonly Hit[] {
  if (hits.length === 0) return hits;
  const placeholders = [...text.matchAll(everyPlaceholder)].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  let next = 0;
  const nextBehind = (place: number) => {
    for (; next < placeholders.length; next += 1) {
      const placeholder = placeholders[next];
      if (placeholder !== undefined && placeholder.end > place) return placeholder;
    }
    return undefined;
  };
  return hits
    .map(({ start, end, rule }) => {
      const first = nextBehind(start);
      const from = first !== undefined && first.start < start ? first.end : start;
      const last = nextBehind(end);
      return { start: from, end: last !== undefined && last.start < end ? last.start : end, rule };
    })
    .filter(({ start, end }) => start < end);
}

type TextMaps = {
  readonly text: (text: string) => string;
  readonly field: (name: string, text: string) => string;
};

type Task = {
  readonly value: JsonValue | undefined;
  /**
   * The name that says what the value is: its field; the field of its list, or a flag before it in
   * that list; the `name` beside a `value`; for a private member of a JSON web key, that.
   */
  readonly name: string;
  /** The bytes of a file in base64, which may be text. */
  readonly isFile?: boolean;
  readonly put: (value: JsonValue) => void;
};

/** Marks that everything in an object or list has been mapped. */
type End = { readonly endOf: object };

/** A copy with every text mapped, in reading order. Not recursive, since values have any depth. */
function mapTexts(root: JsonValue, { text, field }: TextMaps): JsonValue {
  let result: JsonValue = null;
  const put = (value: JsonValue) => {
    result = value;
  };
  const tasks: (Task | End)[] = [{ value: root, name: "", put }];
  const ancestors = new Set<object>();
  const enter = (value: object): void => {
    if (ancestors.has(value)) throw new TypeError("a value that holds itself is no JSON");
    ancestors.add(value);
    tasks.push({ endOf: value });
  };
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    if ("endOf" in task) {
      ancestors.delete(task.endOf);
      continue;
    }
    const { value, name, isFile } = task;
    if (typeof value === "string") {
      task.put((isFile ? redactedFile(value, text) : undefined) ?? field(name, value));
    } else if (Array.isArray(value)) {
      enter(value);
      task.put(mapList(value, name, tasks));
    } else if (isJsonObject(value) && !isRawNumber(value)) {
      enter(value);
      task.put(mapObject(value, text, tasks));
    } else if (value !== undefined) task.put(value);
  }
  return result;
}

function mapList(list: readonly JsonValue[], name: string, tasks: (Task | End)[]): JsonValue {
  const copy: JsonValue[] = new Array(list.length).fill(null);
  for (let at = list.length - 1; at >= 0; at -= 1) {
    const put = (value: JsonValue) => {
      copy[at] = value;
    };
    const before = at > 0 ? list[at - 1] : undefined;
    // The only flag of one letter that says what follows it is `-u`.
    const isFlagged = typeof before === "string" && /^(?:--?[a-z][\w-]{1,60}|-u)$/i.test(before);
    tasks.push({ value: list[at], name: isFlagged ? before : name, put });
  }
  return copy;
}

function mapObject(
  object: Readonly<Record<string, JsonValue>>,
  text: TextMaps["text"],
  tasks: (Task | End)[],
): JsonValue {
  const copy: Record<string, JsonValue> = {};
  const { type, name: label = object["key"] } = object;
  const own = Object.entries(object).map(([name, value]): Task => {
    let key = text(name);
    // Two keys can only become equal if one looks like a placeholder.
    while (Object.hasOwn(copy, key)) key += "'";
    // `__proto__` is a key like any other.
    const put = (mapped: JsonValue) => {
      Object.defineProperty(copy, key, {
        value: mapped,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    };
    // Put in now, so that fields keep their order.
    put(null);
    const isLabelled = name === "value" && typeof label === "string";
    const isFile = typeof type === "string" && base64Fields.get(type) === name;
    return { value, name: isLabelled ? label : memberName(object, name), isFile, put };
  });
  // An object may have more members than a call may have arguments.
  for (const task of own.reverse()) tasks.push(task);
  return copy;
}

/** The bytes of a file in base64 with their text redacted; undefined if nothing was redacted. */
function redactedFile(base64: string, text: TextMaps["text"]): string | undefined {
  const whole = fileText(base64);
  if (whole === undefined) return undefined;
  const redacted = text(whole);
  return redacted === whole ? undefined : Buffer.from(redacted).toString("base64");
}
