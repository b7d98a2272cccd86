import { isJsonObject, type JsonValue } from "../json.ts";
import type { ClientCall, CommonCall, ToolKind, Tools } from "../seam/codec.ts";
import { setField } from "../set-field.ts";

/** @inline */
type FieldType = "string" | "number" | "boolean" | "array";
/** @inline */
type Field = { readonly type: FieldType; readonly isRequired?: true };

const requiredText = { type: "string", isRequired: true } as const;
const text = { type: "string" } as const;
const number = { type: "number" } as const;
const flag = { type: "boolean" } as const;

/** The common parameters of each kind of tool. Paths and texts stay as the client wrote them. */
export const toolFields: Readonly<Record<ToolKind, Readonly<Record<string, Field>>>> = {
  shell: { command: requiredText, directory: text, timeout_ms: number, description: text },
  read: { path: requiredText, offset: number, limit: number },
  write: { path: requiredText, content: requiredText },
  edit: { path: requiredText, old_text: requiredText, new_text: requiredText, replace_all: flag },
  patch: { patch: requiredText },
  grep: { pattern: requiredText, path: text, glob: text, ignore_case: flag },
  glob: { pattern: requiredText, path: text },
  list: { path: text },
  fetch: { url: requiredText, prompt: text },
  web_search: { query: requiredText },
  todo: { items: { type: "array", isRequired: true } },
  agent: { prompt: requiredText, description: text, agent: text },
};

/** A tool whose parameters differ from the common ones only in name. */
export type RenamedTool = {
  readonly name: string;
  readonly kind: ToolKind;
  /** The entries of {@link toolFields} that the tool has: common name -> its own. */
  readonly fields: Readonly<Record<string, string>>;
};

/** A tool whose parameters differ in more than their names. */
export type ConvertedTool = {
  readonly name: string;
  readonly kind: ToolKind;
  /** Translates a call into the common form; undefined if it means nothing to other clients. */
  readonly read: (params: JsonValue) => CommonCall | undefined;
  /**
   * Translates a common call into this client's words; undefined if the tool cannot do it. Left
   * out, the tool is only read.
   */
  readonly write?: (call: CommonCall) => ClientCall | undefined;
};

/**
 * The tools of a client. If several are of one kind, the first that can express a call is written.
 */
export function toolVocabulary(entries: readonly (RenamedTool | ConvertedTool)[]): Tools {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  return {
    read: ({ name, params }) => {
      const entry = byName.get(name);
      if (entry === undefined) return undefined;
      return "read" in entry ? entry.read(params) : readRenamed(entry, params);
    },
    write: (call) => {
      for (const entry of entries) {
        if (entry.kind !== call.kind) continue;
        const written = "read" in entry ? entry.write?.(call) : writeRenamed(entry, call);
        if (written) return written;
      }
      return undefined;
    },
  };
}

/** Undefined if a required parameter is missing or has another type. */
export function readRenamed(
  { kind, fields: names }: Omit<RenamedTool, "name">,
  params: JsonValue,
): CommonCall | undefined {
  if (!isJsonObject(params)) return undefined;
  const fields: { [key: string]: JsonValue } = {};
  const rest: { [key: string]: JsonValue } = {};
  const commonNames = new Map(Object.entries(names).map(([common, name]) => [name, common]));
  for (const [name, value] of Object.entries(params)) {
    const common = commonNames.get(name);
    const field = common === undefined ? undefined : toolFields[kind][common];
    if (common !== undefined && field && isOfType(value, field.type)) fields[common] = value;
    else setField(rest, name, value);
  }
  const isWhole = Object.entries(toolFields[kind]).every(
    ([common, { isRequired }]) => !isRequired || Object.hasOwn(fields, common),
  );
  return isWhole ? { kind, fields, rest } : undefined;
}

/** The call in the client's words. A parameter for which it has no word keeps its common name. */
export function writeRenamed(
  { name, fields: names }: Omit<RenamedTool, "kind">,
  { fields, rest }: CommonCall,
): ClientCall {
  const params: { [key: string]: JsonValue } = {};
  for (const [common, value] of Object.entries(fields)) params[names[common] ?? common] = value;
  for (const [key, value] of Object.entries(rest)) {
    setField(params, Object.hasOwn(params, key) ? `original_${key}` : key, value);
  }
  return { name, params };
}

function isOfType(value: JsonValue, type: FieldType): boolean {
  return type === "array" ? Array.isArray(value) : typeof value === type;
}
