import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "@pond/canonical";
import { objectAt, objectOf } from "@pond/canonical/adapter";
import { dataUrlBytes, plainText } from "@pond/canonical/foreign";
import * as first from "./problems/schema-1.ts";
import * as second from "./problems/schema-2.ts";
import { list, object } from "./problems/shape.ts";

/**
 * What the client would refuse to import, one sentence each; empty if it accepts every file. Files
 * of a JSON tree and databases are its own and are not imported.
 */
export function opencodeProblems(files: ReadonlyMap<string, Uint8Array>): readonly string[] {
  return [...files].flatMap(([path, bytes]) => {
    if (!path.endsWith(".json") || /(?:^|\/)(?:storage|project)\//.test(path)) return [];
    return problemsOf(bytes).map((problem) => `${path}: ${problem}`);
  });
}

function problemsOf(bytes: Uint8Array): readonly string[] {
  let value: JsonValue;
  try {
    value = parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    return [`is not JSON: ${error instanceof Error ? error.message : String(error)}`];
  }
  const refused = importProblems(value);
  return refused.length === 0 && isJsonObject(value) && !isVersion2(value)
    ? problemsOfOrder(value)
    : refused;
}

/** What stops an import of an export, one sentence each. */
export function importProblems(value: JsonValue): readonly string[] {
  if (!isJsonObject(value)) return ["is not an object"];
  return isVersion2(value)
    ? [...problemsOfApi(value), ...export2(value, "export")]
    : export1(value, "export");
}

/** Late releases of 1.x have an API of 2.x, and nothing imports what was said through it. */
function problemsOfApi({ pond }: JsonObject): readonly string[] {
  const { version, resume_attempts: attempts } = objectAt(objectOf(pond), "session");
  const isOf1 = typeof version === "string" && version.startsWith("1.") && attempts === undefined;
  return isOf1 ? [`is of the API of ${version}, which has no command that takes it`] : [];
}

function isVersion2({ info }: JsonObject): boolean {
  return isJsonObject(info) && info["location"] !== undefined;
}

const export2 = object({ info: second.session, messages: list(second.message) });

const export1 = object({
  info: first.session,
  messages: list(object({ info: first.message, parts: list(first.part) })),
});

/**
 * What no shape can say: ids that occur twice or name nothing, an order that contradicts ids,
 * images that are none.
 */
function problemsOfOrder({ info, messages }: JsonObject): readonly string[] {
  const problems: string[] = [];
  const seen = new Set<JsonValue | undefined>();
  const prompts = new Set<JsonValue | undefined>();
  const session = fieldOf(info, "id");
  let before: readonly [number, string] = [0, ""];
  for (const [index, entry] of (Array.isArray(messages) ? messages : []).entries()) {
    const path = `export.messages[${index}]`;
    const own = fieldOf(entry, "info");
    const [id, parts] = [fieldOf(own, "id"), fieldOf(entry, "parts")];
    if (seen.has(id)) problems.push(`${path} has an id that came before`);
    seen.add(id);
    if (fieldOf(own, "sessionID") !== session) problems.push(`${path} is of another session`);
    if (fieldOf(own, "role") === "user") prompts.add(id);
    else if (!prompts.has(fieldOf(own, "parentID"))) {
      problems.push(`${path} answers a prompt that did not come before`);
    }
    const place = [
      Number(plainText(fieldOf(fieldOf(own, "time"), "created"))),
      plainText(id),
    ] as const;
    if (place[0] < before[0] || (place[0] === before[0] && place[1] < before[1])) {
      problems.push(`${path} is not in the order of times and ids`);
    }
    before = place;
    for (const [at, part] of (Array.isArray(parts) ? parts : []).entries()) {
      problems.push(...problemsOfPart(part, `${path}.parts[${at}]`, id, seen));
    }
  }
  return problems;
}

function problemsOfPart(
  part: JsonValue,
  path: string,
  message: JsonValue | undefined,
  seen: Set<JsonValue | undefined>,
): readonly string[] {
  const problems: string[] = [];
  const id = fieldOf(part, "id");
  if (seen.has(id)) problems.push(`${path} has an id that came before`);
  seen.add(id);
  if (fieldOf(part, "messageID") !== message) problems.push(`${path} is of another message`);
  const state = fieldOf(part, "state");
  const status = fieldOf(state, "status");
  // Imported, but refused by a provider: a call without its answer, and an image that is not one.
  if (status === "pending" || status === "running") problems.push(`${path} is a call that runs`);
  if (isBrokenImage(part)) problems.push(`${path} holds an image that is none`);
  const attachments = fieldOf(state, "attachments");
  for (const [at, file] of (Array.isArray(attachments) ? attachments : []).entries()) {
    const place = `${path}.state.attachments[${at}]`;
    if (isBrokenImage(file)) problems.push(`${place} holds an image that is none`);
  }
  return problems;
}

/** True for an image whose address should hold it and does not. */
function isBrokenImage(file: JsonValue): boolean {
  const [mime, url] = [fieldOf(file, "mime"), fieldOf(file, "url")];
  if (typeof mime !== "string" || typeof url !== "string") return false;
  return mime.startsWith("image/") && /^data:/i.test(url) && dataUrlBytes(url) === undefined;
}

function fieldOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
