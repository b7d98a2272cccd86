import { isJsonObject, isRawNumber } from "@pond/canonical";
import * as v from "valibot";
import { protocolVersion } from "./envelope.ts";
import { WireError } from "./errors.ts";
import { type OperationName, operations, type ReceivedRequests } from "./operations.ts";

/** A problem of a request and its place. */
type Issue = { readonly path: string; readonly message: string };

const maxIssues = 10;
// A message may quote the request, which may be of any length.
const maxMessageChars = 200;
const maxPathChars = 100;

/**
 * Checks a request of an operation, its envelope first. An unknown field is refused by name: it
 * could be a misspelled filter, and the answer would not be the one that was asked for.
 *
 * @throws {WireError} `version_unsupported`, or `validation_failed` with `details.issues`.
 */
export function readRequest<Name extends OperationName>(
  name: Name,
  value: unknown,
): ReceivedRequests[Name] {
  if (!isJsonObject(value)) throw invalid([{ path: "", message: "expected a JSON object" }]);
  checkVersion(value["protocol_version"]);
  const schema: v.GenericSchema<unknown, ReceivedRequests[Name]> = operations[name].request;
  const { success, output, issues } = v.safeParse(schema, value);
  if (success) return output;
  throw invalid(issues.slice(0, maxIssues).map(toIssue));
}

/** Checked first, because a later version may have fields that this one would refuse. */
function checkVersion(version: unknown): void {
  if (version === undefined) {
    const message = `it is missing; this is version ${protocolVersion}`;
    throw invalid([{ path: "protocol_version", message }]);
  }
  const isVersion = typeof version === "number" && Number.isSafeInteger(version) && version > 0;
  if (!isVersion || version === protocolVersion) return;
  throw new WireError(
    "version_unsupported",
    `protocol_version ${version} is not supported; ${protocolVersion} is`,
    { supported: [protocolVersion] },
  );
}

function toIssue(issue: v.BaseIssue<unknown>): Issue {
  const path = cut(issue.path?.map(({ key }) => String(key)).join(".") ?? "", maxPathChars);
  return { path, message: cut(messageOf(issue), maxMessageChars) };
}

function messageOf({ expected, input, message, path }: v.BaseIssue<unknown>): string {
  if (path?.at(-1)?.origin === "key")
    return expected === "never" ? "there is no such field" : "it is missing";
  // An object, to the schemas, that has no name.
  if (isRawNumber(input)) return `${input.rawJSON} is more than a double can hold`;
  return message;
}

function invalid(issues: readonly Issue[]): WireError {
  const [first] = issues;
  const path = first?.path ? `${first.path}: ` : "";
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return new WireError("validation_failed", `${path}${first?.message}${more}`, { issues });
}

function cut(text: string, chars: number): string {
  return (text.length > chars ? `${text.slice(0, chars)}…` : text).toWellFormed();
}
