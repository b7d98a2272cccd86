/** As much of a schema as it takes to check a value: the interface all schema libraries share. */
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
  /** Of a union: what is wrong with it as each of its members. */
  readonly issues?: readonly Issue[] | undefined;
};

/** Where a value does not fit, and how. */
export type Misfit = { readonly path: string; readonly reason: string };

/** The value itself where it fits, with the fields no schema names still in it. */
export async function checkSchema<Value>(
  schema: Schema<Value>,
  value: unknown,
): Promise<{ readonly value: Value } | { readonly misfit: Misfit }> {
  const { issues } = await schema["~standard"].validate(value);
  // What validation gives back has lost those fields, so the value is given that was checked.
  if (issues === undefined) return { value: value as Value };
  const [path, message] = deepest(issues);
  return { misfit: { path: path.join("."), reason: message.slice(0, messageChars) } };
}

// A message may quote what came, which may be of any length.
const messageChars = 200;

/** Of all that is wrong the innermost: where a union fails, the member that was meant gets far. */
function deepest(issues: readonly Issue[]): readonly [path: readonly string[], message: string] {
  let found: readonly [readonly string[], string] = [[], "does not fit"];
  for (const issue of issues) {
    const own = (issue.path ?? []).map((each) =>
      String(typeof each === "object" ? each.key : each),
    );
    const [below, inner] = issue.issues ? deepest(issue.issues) : [[], issue.message];
    const path = below.length > 0 ? [...own, ...below] : own;
    const message = below.length > 0 ? inner : issue.message;
    if (found[0].length === 0 || path.length > found[0].length) found = [path, message];
  }
  return found;
}
