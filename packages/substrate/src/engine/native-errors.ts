import {
  ConflictError,
  type StorageProblem,
  StorageUnavailableError,
  StoreClosedError,
  SubstrateError,
} from "../errors.ts";
import { redact } from "./redact.ts";

/** `transient` errors may pass by themselves; `storage` errors do not. */
export type ErrorKind = "conflict" | "transient" | "storage";

// The manifest contradicts itself, or a part of it is unreadable, such as which rows an index has.
const impossibleManifest =
  /references parent id|has \d+ field ids but|protobuf uuid is malformed|uuid field does not exist|non-leaf fields should have|declares covering fields|data-file-version capability|storage versions cannot be mixed|expected \d+ buffers in array of type|all fragments must have row ids|lance-table[^,]*\/src\/format\/|file size is too small|invalid range \S+ for object of size|task \d+ panicked/i;
const unknownVersion = /unknown lance storage version|cannot be read by this version of lance/i;

// Every native error has the code "GenericFailure", so only the message tells them apart.
const kinds: readonly (readonly [ErrorKind, RegExp])[] = [
  // Told as a connection that failed, which no other try would change.
  ["storage", /InvalidCertificate|InvalidMessage\(/],
  // The first four concern rows and indexes made just before another process renewed their column.
  [
    "conflict",
    /index referenced a field|different schema|cannot cast field '\w+' from FixedSizeList|column \d+ does not exist|retryable commit conflict|too many concurrent writers|commit conflict|preempted by concurrent|incompatible transaction|merge insert timed out/i,
  ],
  [
    "transient",
    /(?<!retry_)timed? ?out|connection ?(reset|refused|closed|aborted)|service unavailable|slow ?down|server ?busy|internal ?server ?error|bad gateway|temporarily|broken pipe|too many requests|status(?: code)?: (?:429|5\d\d)|error sending request|response body error|kind: (connect|interrupted|timeout)|incompletemessage/i,
  ],
  ["storage", impossibleManifest],
  ["storage", unknownVersion],
  [
    "storage",
    // The last of these concern files that are damaged or gone.
    /object store|store: "|generic \S+ error|io error|error\(io\)|error: io|no space|quota|permission denied|read-only|os error|access ?denied|credentials|corrupt file|failed to decode protobuf|joinerror::panic|panic in async|invalid magic|not found: [^\n]+?\.(lance|manifest)\b|unexpected eof|decompression (error|failed)|data corruption|next batch from stream: invalid input|outside file of size|at line \d+ column \d+|could not parse bucket|manifest naming schemes/i,
  ],
];

/**
 * The kind of a native error; undefined for an error of the call itself, such as a missing column.
 */
export function kindOf(error: unknown): ErrorKind | undefined {
  if (error instanceof SubstrateError || !(error instanceof Error)) return undefined;
  // Whether a missing table is an error is for the code that opens it to decide.
  if (isTableNotFound(error)) return undefined;
  return kinds.find(([, pattern]) => pattern.test(error.message))?.[0];
}

/** True for the error of creating a table that exists. */
export function alreadyExists(error: unknown): boolean {
  return error instanceof Error && /already exists/i.test(error.message);
}

/** True for the error of opening a table that has no version. */
export function isTableNotFound(error: unknown): boolean {
  return error instanceof Error && /^Table '.*' was not found/.test(error.message);
}

/**
 * True for the error of more text than the engine reads at once, for example one long text repeated
 * for every null.
 */
export function isOffsetOverflow(error: unknown): boolean {
  return error instanceof Error && /offset overflow/i.test(error.message);
}

/** True for the error of calling a closed handle. */
function isClosedHandle(error: unknown): boolean {
  return error instanceof Error && /^(Table .*|Connection) is closed$/.test(error.message);
}

/** Why a vector cannot be searched for; undefined for any other error. */
function vectorLengthMismatch(error: unknown): string | undefined {
  const pattern = /query dim\((\d+)\) doesn't match the column (\w+) vector dim\((\d+)\)/;
  const [, asked, column, stored] = (error instanceof Error && pattern.exec(error.message)) || [];
  return column && `${column}: its vectors have ${stored} numbers, not ${asked}`;
}

/** The error to throw for a native one; the same one if the call itself is to blame. */
export function toTypedError(
  { table, location }: { readonly table: string; readonly location: string },
  error: unknown,
  attempts: number = 1,
): unknown {
  if (isClosedHandle(error)) return new StoreClosedError(location, { cause: error });
  const mismatch = vectorLengthMismatch(error);
  if (mismatch !== undefined) return new TypeError(`${table}.${mismatch}`, { cause: error });
  const kind = kindOf(error);
  if (kind === undefined || !(error instanceof Error)) return error;
  const message = redact(error.message);
  const cause = new Error(message);
  if (kind === "conflict") return new ConflictError(table, attempts, { cause });
  const isTransient = kind === "transient";
  const { reason, problem } = reasonOf(message, table);
  return new StorageUnavailableError(location, reason, { isTransient, problem, cause });
}

// The engine's message about an object store is a page long, with the reason in the middle.
const reasons: readonly (readonly [
  RegExp,
  (found: readonly string[], table: string) => string,
  StorageProblem?,
])[] = [
  [
    // The message continues with a list of kinds, some of which nobody has tried with pond.
    /No object store provider found for scheme: '(\S*)'/,
    ([, scheme]) => `"${scheme}" is not a kind of storage; use a folder, s3://, az:// or gs://`,
    "unknown_kind",
  ],
  [
    /did not match any known pattern|Could not parse bucket/,
    () => "this is not the address of a bucket or container",
  ],
  [/<Code>(NoSuchBucket|ContainerNotFound)</, ([, code]) => `there is no such bucket (${code})`],
  [
    /status(?: code)?: 40[13].*?<Code>(\w+)</s,
    ([, code]) => `the credentials are refused (${code})`,
  ],
  [/status(?: code)?: 40[13]/, () => "the credentials are refused"],
  [
    /Failed to get \w+ credentials|no storage account configured/i,
    () => "there are no credentials",
  ],
  [
    /status(?: code)?: (\d+).*?<Code>(\w+)</s,
    ([, status, code]) => `it answers ${status} (${code})`,
  ],
  [/status(?: code)?: (\d+)/, ([, status]) => `it answers ${status}`],
  [/dns error/, () => "its host is not known"],
  [/ConnectionRefused/, () => "it cannot be reached: connection refused"],
  [
    /InvalidCertificate\((?:Other\(OtherError\()?(\w+)/,
    ([, why]) => `its certificate is not trusted (${why})`,
    "certificate",
  ],
  [/InvalidMessage\(/, () => "it does not speak TLS: is its endpoint http?"],
  // For example the console of an object store, or a page that asks people to log in.
  [/ETag Header missing/, () => "what answers at its endpoint is not an object store"],
  [/kind: Connect\b/, () => "it cannot be reached"],
  [
    /.*Not found: (.+?[/\\]_indices[/\\]\S+\.\w+)/,
    ([, file]) => `${file} is not there`,
    "index_lost",
  ],
  // A path may hold spaces; what follows a file or folder of a table ends it.
  [/.*Not found: (.+?\.(?:lance|manifest))(?![/\\\w])/, ([, file]) => `${file} is not there`],
  [/.*Not found: (.+?\.lance)[/\\]/, ([, folder]) => `${folder} is not there`],
  [
    /corrupt file|failed to decode Protobuf|JoinError::Panic|Panic in async|invalid magic|unexpected EOF|failed to fill whole buffer|decompression (error|failed)|data corruption|next batch from stream: invalid input|outside file of size|at line \d+ column \d+/i,
    () => "what is stored there is damaged",
    "damaged",
  ],
  [impossibleManifest, () => "what is stored there is damaged", "damaged"],
  [unknownVersion, () => "what is stored there is damaged, or a newer pond wrote it"],
  [/BadScheme/, () => "its endpoint is not https, and allow_http is not set"],
  [/TimedOut|kind: Timeout|operation timed out/, () => "it does not answer in time"],
  [
    /ConnectionReset|kind: Interrupted|error sending request|response body error/,
    () => "it closed the connection",
  ],
  [
    // A commit is a hard link, which only one of two writers can make.
    /Unable to rename file: Operation not (?:permitted|supported)/,
    () => "its file system has no hard links, which a store needs",
    "no_hard_links",
  ],
  [
    /manifest naming schemes/,
    (_, table) =>
      `${table}.lance/_versions holds a manifest that pond did not name, a sync tool's copy most likely`,
    "foreign_manifest",
  ],
  [/no space left on device \(os error/i, () => "no space left on device", "disk_full"],
  [/dis[ck] quota exceeded \(os error/i, () => "the disk quota is used up", "disk_full"],
  [/too many open files \(os error/i, () => "too many open files", "open_files"],
  [/file too large \(os error/i, () => "file too large", "file_size"],
  [
    /(not a directory|permission denied|operation not permitted|read-only file system|no such file or directory|input\/output error) \(os error/i,
    ([, said = ""]) => said.toLowerCase(),
  ],
];

function reasonOf(
  message: string,
  table: string,
): {
  readonly reason: string;
  readonly problem: StorageProblem | undefined;
} {
  for (const [pattern, reason, problem] of reasons) {
    const found = pattern.exec(message);
    if (found)
      return {
        reason: reason(
          found.map((text) => text ?? ""),
          table,
        ),
        problem,
      };
  }
  // After the first line comes the native call stack.
  return { reason: message.split("\n")[0] ?? "", problem: undefined };
}
