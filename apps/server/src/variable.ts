import { isAbsolute } from "node:path";
import { isNamespace } from "@pond/server";
import * as v from "valibot";

/** One variable of the environment: its description, and how its text becomes a value. */
export type Variable<Value> = {
  readonly about: string;
  /** The values it may have, as errors say it. */
  readonly allowed: string;
  /** Its text if it is not set. */
  readonly fallback?: string;
  /** True if not even an error may repeat its value. */
  readonly isSecret?: boolean;
  readonly schema: v.GenericSchema<string, Value>;
};

/** Which namespaces exist. */
export type Policy =
  | { readonly kind: "deny" }
  | { readonly kind: "on-first-ingest" }
  | { readonly kind: "fixed"; readonly names: readonly string[] };

/** Any text. */
export const text: v.GenericSchema<string> = v.string();

/** A whole number without a sign. */
export function whole(least: number, most: number): Pick<Variable<number>, "allowed" | "schema"> {
  const schema = v.pipe(
    v.string(),
    v.regex(/^\d{1,15}$/),
    v.transform(Number),
    v.minValue(least),
    v.maxValue(most),
  );
  return { allowed: `a whole number from ${least} to ${most}`, schema };
}

/** Yes or no. */
export const yesOrNo: Pick<Variable<boolean>, "allowed" | "schema"> = {
  allowed: "true or false",
  schema: v.pipe(
    v.picklist(["true", "false"]),
    v.transform((answer) => answer === "true"),
  ),
};

const hostName = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})$/i;

/** The names in `POND_ALLOWED_HOSTS`. */
export const hosts: v.GenericSchema<string, readonly string[] | "any"> = v.pipe(
  v.string(),
  v.transform((list) => (list === "any" ? list : listOf(list))),
  v.check((names) => names === "any" || names.every((name) => hostName.test(name))),
);

/** The value of `POND_NAMESPACES`. */
export const policy: v.GenericSchema<string, Policy> = v.pipe(
  v.string(),
  v.rawTransform(({ dataset: { value }, addIssue, NEVER }): Policy => {
    if (value === "deny" || value === "on-first-ingest") return { kind: value };
    const names = value.startsWith("fixed:") ? listOf(value.slice("fixed:".length)) : [];
    if (names.length > 0 && names.every(isNamespace)) return { kind: "fixed", names };
    addIssue();
    return NEVER;
  }),
);

/** The JSON of `POND_STORAGE_OPTIONS`. */
export const storageOptions: v.GenericSchema<string, Readonly<Record<string, string>>> = v.pipe(
  v.string(),
  v.parseJson(),
  v.check((options) => !Array.isArray(options)),
  v.record(v.string(), v.string()),
);

/** True for a name or an address; an IPv6 address may lack its brackets. */
export function isHost(name: string): boolean {
  return hostName.test(name) || /^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(name);
}

/**
 * False for an address with a user, a password or a query, which would put credentials where they
 * are logged. False for a folder with a control character, such as a line end that came with it: no
 * tenant can be stored there.
 */
export function isStorage(location: string): boolean {
  if (isAbsolute(location)) return !/\p{Cc}/u.test(location);
  return /^(s3|az|gs):\/\/[a-z0-9][a-z0-9._-]*(\/[^?#@\s]*)?$/i.test(location);
}

/** Like {@link isStorage}, for an endpoint of embeddings. */
export function isEndpoint(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) return false;
  return [url.username, url.password, url.search, url.hash].every((part) => part === "");
}

function listOf(list: string): readonly string[] {
  return list.split(",").map((item) => item.trim());
}
