import { isJsonObject, isRawNumber, type JsonValue } from "@pond/canonical";
import { base64Fields, fileText } from "../file-text.ts";
import { assignmentRule, fieldRule, isSecretField, variableRule } from "./assignments.ts";
import { mapEncoded } from "./encoded.ts";
import type { Hit } from "./hit.ts";
import { patternRules, userNameRules } from "./patterns.ts";
import { presetRules } from "./preset.ts";
import { privateKeyRule } from "./private-keys.ts";
import { createScan, type RankedHit } from "./scan.ts";
import { readings, saidBy } from "./unescaped.ts";
import { memberName, webKeyRule } from "./web-keys.ts";

/** What is replaced beside secrets. */
export type RedactorOptions = {
  /** Also replace the names of people in paths of home folders, and in folders named after one. */
  readonly userNames?: boolean;
};

/** How many places a rule replaced. */
export type RedactedCount = { readonly rule: string; readonly count: number };

/** Replaces secrets; the same secret is the same `[redacted N: rule]` in all that passes one. */
export type Redactor = {
  /**
   * The text without its secrets.
   *
   * @param text - Whole: a secret that two texts share between them is not found.
   */
  text(text: string): string;
  /**
   * The same value, its every text and key redacted; the text of files in base64 too.
   *
   * @throws {TypeError} for a value that holds itself.
   */
  json<Value extends JsonValue>(value: Value): Value;
  /** So far, the most frequent first. */
  counts(): RedactedCount[];
};

/** Names of headers, of files, and of `curl`. */
const header = /^(?:(?:proxy-)?authorization|(?:set-)?cookie|_?auth|-u|--user|--proxy-user)$/i;

/** What ran into a secret looks like another once a placeholder stands there. */
const mostPasses = 8;

/** No secret is shorter. */
const shortest = 6;

/** A redactor that has seen nothing yet. It looks for secrets of well-known forms and no others. */
export function createRedactor({
  userNames: hidesUserNames = false,
}: RedactorOptions = {}): Redactor {
  const rules = [
    ...presetRules(),
    privateKeyRule,
    ...patternRules,
    assignmentRule,
    variableRule,
    webKeyRule,
  ];
  const scan = createScan(hidesUserNames ? [...rules, ...userNameRules] : rules);
  const placeholders = new Map<string, string>();
  const counts = new Map<string, number>();

  const placeholder = (secret: string, rule: string): string => {
    counts.set(rule, (counts.get(rule) ?? 0) + 1);
    const said = saidBy(secret);
    const known = placeholders.get(said);
    if (known !== undefined) return known;
    const made = `[redacted ${placeholders.size + 1}: ${rule}]`;
    placeholders.set(said, made);
    return made;
  };

  const pass = (whole: string): string => {
    if (whole.length < shortest) return whole;
    const found = scan(whole);
    for (const { text: other, written } of readings(whole)) {
      for (const hit of scan(other)) found.push({ ...hit, ...written(hit) });
    }
    const hits = outsidePlaceholders(merged(found), whole);
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
    for (let count = 0; count < mostPasses; count += 1) {
      const next = pass(mapEncoded(redacted, text));
      if (next === redacted) break;
      redacted = next;
    }
    return redacted;
  };

  const field = (name: string, value: string): string => {
    if (isSecretField(name, value)) return placeholder(value, fieldRule);
    if (!header.test(name)) return text(value);
    // What is recognised by the name of its header has to be seen with it.
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

/** In order, those that overlap as one, named after the longest. */
function merged(hits: readonly RankedHit[]): Hit[] {
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

/** Without what of each lies in a placeholder of which it does not hold all; they are in order. */
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
   * What says what it is: its field; that of the list it is in, or a flag before it there; the
   * `name` beside a `value`; of a JSON web key, that it is private.
   */
  readonly name: string;
  /** The bytes of a file in base64, which may be text. */
  readonly isFile?: boolean;
  readonly put: (value: JsonValue) => void;
};

/** Comes when all that an object or list holds was mapped. */
type End = { readonly endOf: object };

/** A copy with every text mapped, in the order of reading; of any depth, so no call stack. */
function mapTexts(root: JsonValue, { text, field }: TextMaps): JsonValue {
  let result: JsonValue = null;
  const put = (value: JsonValue) => {
    result = value;
  };
  const tasks: (Task | End)[] = [{ value: root, name: "", put }];
  const around = new Set<object>();
  const enter = (value: object): void => {
    if (around.has(value)) throw new TypeError("a value that holds itself is no JSON");
    around.add(value);
    tasks.push({ endOf: value });
  };
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    if ("endOf" in task) {
      around.delete(task.endOf);
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
    // Of one letter only `-u` says what stands behind it.
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
    // Only a key that looks like a placeholder can meet one.
    while (Object.hasOwn(copy, key)) key += "'";
    // `__proto__` is a key like others.
    const put = (mapped: JsonValue) => {
      Object.defineProperty(copy, key, {
        value: mapped,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    };
    // Now, so that fields keep their order.
    put(null);
    const isLabelled = name === "value" && typeof label === "string";
    const isFile = typeof type === "string" && base64Fields.get(type) === name;
    return { value, name: isLabelled ? label : memberName(object, name), isFile, put };
  });
  tasks.push(...own.reverse());
  return copy;
}

/** The bytes of a file, in base64, with their text redacted; undefined where nothing of it is. */
function redactedFile(base64: string, text: TextMaps["text"]): string | undefined {
  const whole = fileText(base64);
  if (whole === undefined) return undefined;
  const redacted = text(whole);
  return redacted === whole ? undefined : Buffer.from(redacted).toString("base64");
}
