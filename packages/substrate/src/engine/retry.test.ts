import { expect, it } from "vitest";
import { ConflictError, StorageUnavailableError } from "../errors.ts";
import { retry } from "./retry.ts";

const place = { table: "parts", location: "/store" };

/** A call that fails with each message in turn, then returns how often it was made. */
function failing(...messages: readonly string[]): () => Promise<number> {
  let calls = 0;
  return async () => {
    const message = messages[calls++];
    if (message !== undefined) throw new Error(message);
    return calls;
  };
}

const lost =
  "Retryable commit conflict for version 7: This CreateIndex transaction was preempted by concurrent transaction CreateIndex at version 7. Please retry.";
const down = "Generic S3 error: Server returned non-2xx status code: 503 Service Unavailable";

function refusedBy(tls: string): string {
  return `Invalid input, Failed to connect to namespace: IO { source: Generic { store: "S3", source: ListRequest { source: RetryError(RetryErrorImpl { method: GET, uri: Some(https://s3.test/pond?list-type=2), retries: 0, max_retries: 0, elapsed: 1.079471ms, retry_timeout: 180s, inner: Http(HttpError { kind: Connect, source: reqwest::Error { kind: Request, source: hyper_util::client::legacy::Error(Connect, Custom { kind: Other, error: Custom { kind: InvalidData, error: ${tls} } }) } }) }) } } }`;
}
const untrusted = refusedBy("InvalidCertificate(UnknownIssuer)");

it.each([
  ["a lost race", lost],
  ["too many writers", "lance error: Too many concurrent writers. Attempted 10 times"],
  ["a storage fault", down],
])("lance-retry-jitter: retries after %s until the call succeeds", async (_, message) => {
  await expect(retry(place, failing(message, message))).resolves.toBe(3);
});

it("refreshes the handle before each new attempt, because a stale one keeps losing", async () => {
  let refreshed = 0;

  await retry(place, failing(lost, lost), {
    refresh: async () => {
      refreshed += 1;
    },
  });

  expect(refreshed).toBe(2);
});

it("gives up with a ConflictError that counts the attempts", async () => {
  const outcome = retry(place, failing(lost, lost, lost), { maxAttempts: 2 });

  await expect(outcome).rejects.toThrow(ConflictError);
  await expect(outcome).rejects.toMatchObject({
    code: "conflict",
    details: { table: "parts", attempts: 2 },
  });
});

it.each([
  ["that stays down", down],
  ["that is full", "IO error: No space left on device (os error 28)"],
  [
    "that returns damaged bytes",
    "Failed to get next batch from stream: Invalid input, column metadata range for column index 2 is outside metadata region: position=573, length=97",
  ],
  [
    "with an impossible length in an index",
    "Invalid input, Global buffer 0 range 64..2147484309 is outside file of size 830",
  ],
  [
    "with broken JSON in an index",
    "Failed to get next batch from stream: lance error: LanceError(Arrow): expected ident at line 1 column 354",
  ],
])("gives up with a StorageUnavailableError for storage %s", async (_, message) => {
  const outcome = retry(place, failing(message, message), { maxAttempts: 2 });

  await expect(outcome).rejects.toThrow(StorageUnavailableError);
  await expect(outcome).rejects.toMatchObject({ code: "storage_unavailable" });
});

it.each([
  ["disk_full", "IO error: No space left on device (os error 28)"],
  ["open_files", "lance error: LanceError(IO): Too many open files (os error 24), /lance/x.rs:1:9"],
  ["disk_full", "lance error: LanceError(IO): Disk quota exceeded (os error 122), /lance/x.rs:1:9"],
  [
    "file_size",
    "lance error: LanceError(IO): File too large (os error 27), /lance-file/structural.rs:255:9",
  ],
  ["damaged", "lance error: LanceError(IO): Generic N/A error: unexpected EOF"],
  [
    "damaged",
    "Failed to get next batch from stream: lance error: LanceError(IO): Data corruption detected, /lance-encoding/block.rs:254:13",
  ],
  [
    "damaged",
    "lance error: LanceError(Schema): Field 'session_id' (id=0) references parent id -1025, which must appear earlier in the protobuf field list, /lance-file/x.rs:1:9",
  ],
  [
    "damaged",
    "Invalid input, Data file '0a.lance' (fragment 0) has 3 field ids but 2 column indices. These must be the same length.",
  ],
  ["damaged", "Invalid input, Protobuf UUID is malformed"],
  ["damaged", "Invalid input, uuid field does not exist in Index metadata"],
  [
    "damaged",
    "Invalid input, Non-leaf field 'id' (id=0) in data file '0a.lance' (fragment 0) has column_index=1, but non-leaf fields should have column_index=-1",
  ],
  ["damaged", "Invalid input, index 'text_idx' declares covering fields [1] but [2] are not a"],
  [
    "damaged",
    "Invalid input, Data file '0a.lance' in fragment 0 has version 2.1, but the manifest default is 2.0 and mixed data-file-version capability is not enabled",
  ],
  [
    "damaged",
    "Invalid input, Data file '0a.lance' in fragment 0 has version 0.1, but the manifest default is 2.0; V1 and V2 storage versions cannot be mixed",
  ],
  [
    "damaged",
    "Failed to get next batch from stream: lance error: LanceError(Arrow): Invalid argument error: Expected 2 buffers in array of type Utf8, got 3, /lance/x.rs:1:9",
  ],
  [
    "damaged",
    "lance error: Encountered internal error. All fragments must have row ids, /lance/x.rs:1:9",
  ],
  [
    "damaged",
    "lance error: LanceError(IO): unknown cookie value, /registry/lance-table-12.0.0/src/format/index.rs:268:18",
  ],
  [
    "damaged",
    "lance error: LanceError(IO): file size is too small, /registry/lance-io-12.0.0/src/utils.rs:1:9",
  ],
  [
    "damaged",
    "lance error: LanceError(IO): Generic memory error: Invalid range 4..9 for object of size 5 bytes, /rustc/function.rs:1:9",
  ],
  [
    "damaged",
    'Failed to get next batch from stream: task 169 panicked with message "Expected FixedSizeList data type and got Utf8"',
  ],
  [undefined, "Invalid input, Unknown Lance storage version: 2.9"],
  [
    undefined,
    "lance error: Not supported: This dataset cannot be read by this version of Lance. Please upgrade Lance to read this dataset. Flags: 64, /lance/x.rs:1:9",
  ],
  [
    "index_lost",
    "lance error: LanceError(IO): Generic N/A error: Wrapped error: Not found: Wrapped error: Not found: /my store/parts.lance/_indices/63f0/page_lookup.lance, /rustc/lib.rs:1",
  ],
  [
    "foreign_manifest",
    "lance error: Encountered internal error. Found multiple manifest naming schemes in the same directory: V2 and V1.",
  ],
  [
    "no_hard_links",
    "LanceError(IO): Generic LocalFileSystem error: Unable to rename file: Operation not permitted (os error 1)",
  ],
  [
    "no_hard_links",
    "LanceError(IO): Generic LocalFileSystem error: Unable to rename file: Operation not supported (os error 45)",
  ],
  ["certificate", untrusted],
  ["unknown_kind", "Generic N/A error: No object store provider found for scheme: 'ftp'"],
  [undefined, "LanceError(IO): Not found: /store/parts.lance/data/1.lance, /rustc/lib.rs:1"],
])("names the problem in the error's details: %s", async (problem, message) => {
  const failure: unknown = await retry(place, failing(message)).catch((error: unknown) => error);

  if (!(failure instanceof StorageUnavailableError)) throw failure;
  expect(failure.details.problem).toBe(problem);
  if (problem === "index_lost") {
    const file = "/my store/parts.lance/_indices/63f0/page_lookup.lance";
    expect(failure.details.reason).toBe(`${file} is not there`);
  }
});

it.each([
  [
    "operation not permitted",
    "lance error: LanceError(IO): Unable to created lance dataset at /sys/default: Operation not permitted (os error 1)\n\nCaused by: Operation not permitted (os error 1)",
  ],
  [
    "file too large",
    "lance error: LanceError(IO): File too large (os error 27), /registry/src/lance-file-12.0.0/src/writer/structural.rs:255:9\n\nCaused by: File too large (os error 27)",
  ],
  [
    "/my store, 2/parts.lance/data/1.lance is not there",
    "lance error: LanceError(IO): Generic N/A error: Wrapped error: Not found: Wrapped error: Not found: /my store, 2/parts.lance/data/1.lance, /rustc/lib.rs:1:9",
  ],
  [
    "my store/parts.lance is not there",
    "lance error: Not found: my store/parts.lance/_versions, /registry/lance-table-12.0.0/src/io/commit.rs:670:26  Caused by: Not found: my store/parts.lance/_versions, /registry/lance-table-12.0.0/src/io/commit.rs:670:26",
  ],
  ["too many open files", "lance error: LanceError(IO): Too many open files (os error 24)"],
  ["its certificate is not trusted (UnknownIssuer)", untrusted],
  [
    "its certificate is not trusted (CaUsedAsEndEntity)",
    refusedBy("InvalidCertificate(Other(OtherError(CaUsedAsEndEntity)))"),
  ],
  ["it does not speak TLS: is its endpoint http?", refusedBy("InvalidMessage(InvalidContentType)")],
  [
    "what answers at its endpoint is not an object store",
    "lance error: LanceError(IO): single PUT of a/probe_0.lance/_transactions/0-8.txn failed after 1.3ms (216 bytes): Generic S3 error: Unable to extract metadata from headers: ETag Header missing from response, /registry/lance-io-12.0.0/src/object_writer.rs:627:9",
  ],
  ["input/output error", "lance error: LanceError(IO): Input/output error (os error 5)"],
  ["the disk quota is used up", "lance error: LanceError(IO): Disk quota exceeded (os error 122)"],
])("gives the reason in a few words: %s", async (reason, message) => {
  const outcome = retry(place, failing(message));

  await expect(outcome).rejects.toMatchObject({ details: { reason } });
});

it("tries once where a certificate is not trusted", async () => {
  const outcome = retry(place, failing(untrusted));

  await expect(outcome).rejects.toMatchObject({ details: { isTransient: false } });
});

it("passes any other error on without a retry", async () => {
  await expect(retry(place, failing("No field named x"))).rejects.toThrow("No field named x");
});

it("stops retrying when it is aborted", async () => {
  const controller = new AbortController();
  const call = async (): Promise<never> => {
    controller.abort(new Error("enough"));
    throw new Error(lost);
  };

  await expect(retry(place, call, { signal: controller.signal })).rejects.toThrow();
});
