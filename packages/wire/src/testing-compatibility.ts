import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";

/** Requests must go on being accepted; answers must go on being understood. */
type Direction = "request" | "answer";

type Side = { readonly schema: JsonObject; readonly root: JsonObject };

/**
 * Why `current` breaks who was written against `released`, one sentence each; empty where schemas
 * only grew (spec 7.2). A request may not get narrower, an answer not wider: a field that is gone,
 * of another type or no longer sure to be there, a value nobody has heard of.
 */
export function incompatibilities(released: JsonObject, current: JsonObject): string[] {
  return Object.entries(objectAt(released, "$defs")).flatMap(([name, old]) => {
    const next = objectAt(current, "$defs")[name];
    if (!isJsonObject(old)) return [];
    if (!isJsonObject(next)) return [`${name} is gone`];
    const before = { schema: old, root: released };
    const after = { schema: next, root: current };
    if (name.endsWith("Request")) return differences(before, after, "request", name);
    const isOfAnswers = name.endsWith("Response") || name === "ErrorBody";
    // What both hold is reached from them, each time in the direction that counts there.
    return isOfAnswers ? differences(before, after, "answer", name) : [];
  });
}

const notes = new Set(["description", "title", "examples"]);
/** Keywords with a rule of their own below. */
const comparedKeywords = new Set([
  ...["type", "properties", "required", "additionalProperties", "enum", "const", "items"],
  ...["anyOf", "oneOf", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"],
]);

function differences(old: Side, next: Side, direction: Direction, path: string): string[] {
  const [before, after] = [resolved(old), resolved(next)];
  return [
    ...typeChange(before.schema, after.schema, direction, path),
    ...fieldChanges(before, after, direction, path),
    ...valueChanges(before.schema, after.schema, direction, path),
    ...boundChanges(before.schema, after.schema, direction, path),
    ...itemChanges(before, after, direction, path),
    ...branchChanges(before, after, direction, path),
    ...otherChanges(before.schema, after.schema, path),
  ];
}

function typeChange(old: JsonObject, next: JsonObject, direction: Direction, path: string) {
  const [before, after] = [old["type"], next["type"]];
  if (before === after) return [];
  const [narrow, wide] = direction === "request" ? [before, after] : [after, before];
  const isWithin = wide === undefined || (narrow === "integer" && wide === "number");
  return isWithin ? [] : [`${path}: ${before ?? "any type"} became ${after ?? "any type"}`];
}

function fieldChanges(old: Side, next: Side, direction: Direction, path: string): string[] {
  const [before, after] = [objectAt(old.schema, "properties"), objectAt(next.schema, "properties")];
  const changes = Object.entries(before).flatMap(([name, field]) => {
    const now = after[name];
    if (!isJsonObject(field)) return [];
    if (!isJsonObject(now)) return [`${path}.${name} is gone`];
    const fields = [
      { ...old, schema: field },
      { ...next, schema: now },
    ] as const;
    return differences(...fields, direction, `${path}.${name}`);
  });
  const [required, requires] = [listAt(old.schema, "required"), listAt(next.schema, "required")];
  const must =
    direction === "request"
      ? requires.filter((name) => !required.includes(name)).map((name) => `${name} became required`)
      : required
          .filter((name) => !requires.includes(name))
          .map((name) => `${name} became optional`);
  const [rest, restNow] = [old.schema["additionalProperties"], next.schema["additionalProperties"]];
  const isRestKept =
    JSON.stringify(rest) === JSON.stringify(restNow) ||
    (direction === "request" ? restNow === undefined : rest === undefined);
  if (isJsonObject(rest) && isJsonObject(restNow)) {
    const values = [
      { ...old, schema: rest },
      { ...next, schema: restNow },
    ] as const;
    changes.push(...differences(...values, direction, `${path}.*`));
  } else if (!isRestKept) changes.push(`${path}: other fields changed`);
  return [...changes, ...must.map((what) => `${path}.${what}`)];
}

function valueChanges(old: JsonObject, next: JsonObject, direction: Direction, path: string) {
  const [before, after] = [valuesOf(old), valuesOf(next)];
  const [narrow, wide] = direction === "request" ? [before, after] : [after, before];
  if (wide === undefined) return [];
  if (narrow === undefined) return [`${path}: its values changed`];
  const verb = direction === "request" ? "is no longer accepted" : "was never answered before";
  return narrow
    .filter((value) => !wide.includes(value))
    .map((value) => `${path}: ${JSON.stringify(value)} ${verb}`);
}

/** Bounds of answers are promises nobody reads by; those of requests are. */
function boundChanges(old: JsonObject, next: JsonObject, direction: Direction, path: string) {
  if (direction === "answer") return [];
  const narrowed = ["minimum", "minLength", "minItems", "maximum", "maxLength", "maxItems"].filter(
    (keyword) => {
      const [before, after] = [old[keyword], next[keyword]];
      if (typeof after !== "number") return false;
      if (typeof before !== "number") return true;
      return keyword.startsWith("min") ? after > before : after < before;
    },
  );
  return narrowed.map((keyword) => `${path}: ${keyword} got narrower`);
}

function itemChanges(old: Side, next: Side, direction: Direction, path: string): string[] {
  const [before, after] = [old.schema["items"], next.schema["items"]];
  if (isJsonObject(before) && isJsonObject(after)) {
    const items = [
      { ...old, schema: before },
      { ...next, schema: after },
    ] as const;
    return differences(...items, direction, `${path}[]`);
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [`${path}: its items changed`];
}

/** A request must keep every old branch; an answer must get no new one. */
function branchChanges(old: Side, next: Side, direction: Direction, path: string): string[] {
  return ["anyOf", "oneOf"].flatMap((keyword) => {
    const before = branchesOf(old, keyword);
    const after = branchesOf(next, keyword);
    if (before === undefined && after === undefined) return [];
    if (before === undefined || after === undefined) return [`${path}: its forms changed`];
    const fits = (earlier: Side, later: Side): boolean =>
      differences(earlier, later, direction, path).length === 0;
    const alone =
      direction === "request"
        ? before.findIndex((earlier) => !after.some((later) => fits(earlier, later)))
        : after.findIndex((later) => !before.some((earlier) => fits(earlier, later)));
    const isLost = direction === "answer" && after.length < before.length;
    return alone < 0 && !isLost ? [] : [`${path}: form ${alone} of its ${keyword} changed`];
  });
}

/** A keyword without a rule here may mean anything. */
function otherChanges(old: JsonObject, next: JsonObject, path: string): string[] {
  return [...new Set([...Object.keys(old), ...Object.keys(next)])]
    .filter((keyword) => !notes.has(keyword) && !comparedKeywords.has(keyword))
    .filter((keyword) => JSON.stringify(old[keyword]) !== JSON.stringify(next[keyword]))
    .map((keyword) => `${path}: ${keyword} changed`);
}

/** The schema that a reference stands for. Keywords beside the reference do not change it. */
function resolved({ schema, root }: Side): Side {
  const { $ref: reference } = schema;
  if (typeof reference !== "string") return { schema, root };
  const target = objectAt(root, "$defs")[reference.slice(reference.lastIndexOf("/") + 1)];
  return { schema: isJsonObject(target) ? target : {}, root };
}

function branchesOf({ schema, root }: Side, keyword: string): Side[] | undefined {
  const branches = schema[keyword];
  if (!Array.isArray(branches)) return undefined;
  return branches.filter(isJsonObject).map((branch) => ({ schema: branch, root }));
}

function valuesOf(schema: JsonObject): readonly JsonValue[] | undefined {
  if ("const" in schema) return [schema["const"] ?? null];
  const values = schema["enum"];
  return Array.isArray(values) ? values : undefined;
}

function objectAt(schema: JsonObject, key: string): JsonObject {
  const value = schema[key];
  return isJsonObject(value) ? value : {};
}

function listAt(schema: JsonObject, key: string): readonly JsonValue[] {
  const value = schema[key];
  return Array.isArray(value) ? value : [];
}
