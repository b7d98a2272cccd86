/**
 * The part of a schema that checking a value needs: the interface that all schema libraries share.
 */
export type Schema<Value> = {
  readonly "~standard": {
    readonly validate: (value: unknown) => Result<Value> | Promise<Result<Value>>;
  };
};

type Result<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

type Issue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  /** For a union: what is wrong with the value as each of its members. */
  readonly issues?: readonly Issue[] | undefined;
};

/** The place where a value does not fit, and why. */
export type Mismatch = { readonly path: string; readonly reason: string };

/** Returns the value itself if it fits, including the fields that no schema names. */
export async function checkSchema<Value>(
  schema: Schema<Value>,
  value: unknown,
): Promise<{ readonly value: Value } | { readonly mismatch: Mismatch }> {
  const { issues } = await schema["~standard"].validate(value);
  // Validation returns a value without those fields, so the original is returned.
  if (issues === undefined) return { value: value as Value };
  const [path, message] = deepest(issues);
  return { mismatch: { path: path.join("."), reason: message.slice(0, messageChars) } };
}

// A message may quote what arrived, which may be of any length.
const messageChars = 200;

/**
 * The innermost issue of all: if a union fails, the intended member gets further than the others.
 */
function deepest(issues: readonly Issue[]): readonly [path: readonly string[], message: string] {
  let found: readonly [readonly string[], string] = [[], "does not fit"];
  for (const issue of issues) {
    const own = (issue.path ?? []).map((each) =>
      String(typeof each === "object" ? each.key : each),
    );
    const [innerPath, inner] = issue.issues ? deepest(issue.issues) : [[], issue.message];
    const path = innerPath.length > 0 ? [...own, ...innerPath] : own;
    const message = innerPath.length > 0 ? inner : issue.message;
    if (found[0].length === 0 || path.length > found[0].length) found = [path, message];
  }
  return found;
}
