import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArchiveDamagedError, UnpackFailedError } from "@pond/archive";
import { ValidationError } from "@pond/canonical";
import { DownloadError, ModelInvalidError, ModelNotFoundError } from "@pond/embed";
import { toWireError as serverError } from "@pond/server";
import { SessionNotFoundError, UnsafePathError } from "@pond/sessions";
import {
  ConflictError,
  StorageUnavailableError,
  StoreNotFoundError,
  StoreSchemaError,
} from "@pond/substrate";
import { expect, it, onTestFinished } from "vitest";
import { Output } from "./output/output.ts";
import { safeText } from "./output/safe-text.ts";
import { factsOf, reportError, reportStopped, toWireError } from "./report-error.ts";

it.each([
  [
    "a full disk",
    new StorageUnavailableError("/x", "no space left on device", { problem: "disk_full" }),
    /disk is full/,
  ],
  [
    "a file system without hard links",
    new StorageUnavailableError("/x", "no hard links", { problem: "no_hard_links" }),
    /`pond export -o FILE\.pond`/,
  ],
  [
    "a certificate of an unknown authority",
    new StorageUnavailableError("s3://x/y", "not trusted", { problem: "certificate" }),
    /SSL_CERT_FILE/,
  ],
  [
    "a manifest that a sync tool copied under another name",
    new StorageUnavailableError("/x", "another name", { problem: "foreign_manifest" }),
    /20 digits and \.manifest/,
  ],
  ["a full disk (ENOSPC)", systemError("ENOSPC: no space left on device, write"), /disk is full/],
  ["an exhausted quota (EDQUOT)", systemError("EDQUOT: disk quota exceeded, write"), /make room/],
  ["too many open files (EMFILE)", systemError("EMFILE: too many open files, open"), /ulimit -n/],
  [
    "too many open files of the engine",
    new StorageUnavailableError("/x", "too many open files", { problem: "open_files" }),
    /ulimit -n/,
  ],
  [
    "a limit on the size of files",
    new StorageUnavailableError("/x", "file too large", { problem: "file_size" }),
    /ulimit -f/,
  ],
  [
    "a file in place of a folder (ENOTDIR)",
    systemError("ENOTDIR: not a directory, mkdir '/f/x'"),
    /name another place/,
  ],
  [
    "a missing permission (EACCES)",
    systemError("EACCES: permission denied, open '/f'"),
    /check the permissions/,
  ],
  [
    "an archive that cannot be unpacked",
    new UnpackFailedError("/x", "the disk is full"),
    /XDG_CACHE_HOME/,
  ],
  [
    "a damaged store",
    new StorageUnavailableError("/x", "a file is damaged", { problem: "damaged" }),
    /`pond status --verify` names the files/,
  ],
  [
    "an interrupted download",
    new DownloadError({ model: "m", file: "model.onnx", reason: "it broke off" }),
    /What was downloaded stays/,
  ],
  [
    "a downloaded file with other content than the model's",
    new DownloadError({ model: "m", file: "f", reason: "another", problem: "other_content" }),
    /\nRun the same command again\. .*HF_ENDPOINT/,
  ],
  [
    "a table that does not exist yet",
    new StoreSchemaError("/x", "windows", "an older version made the store", "unmade"),
    /`pond sync` does that/,
  ],
  [
    "a lost table",
    new StoreSchemaError("/x", "parts", "messages holds rows", "lost"),
    /`pond status --verify` says/,
  ],
  [
    "an index with a missing file in a folder",
    new StorageUnavailableError("/x", "a.lance is not there", { problem: "index_lost" }),
    /`pond sync` makes it again/,
  ],
  [
    "an index with a missing file in a bucket",
    new StorageUnavailableError("s3://b/p", "a.lance is not there", { problem: "index_lost" }),
    /Check the address/,
  ],
  [
    "a file that is not an archive",
    new ArchiveDamagedError({ file: "/f" }, "another file", { problem: "no_archive" }),
    /Check the path; `pond export/,
  ],
  [
    "an unavailable folder",
    new StorageUnavailableError("/x", "permission denied"),
    /Check the folder/,
  ],
  [
    "an unavailable bucket",
    new StorageUnavailableError("s3://b/p", "it answers 503"),
    /Check the address/,
  ],
])("says what to do about %s", (_, error, hint) => {
  expect(saidOf(error)).toMatch(hint);
});

it("quotes the flags for the shell when a store's own folder was given", () => {
  const folder = mkdtempSync(join(tmpdir(), "pond's "));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "default", "sessions.lance"), { recursive: true });

  const said = saidOf(new StoreNotFoundError(join(folder, "default", "default")));

  const word = folder.replaceAll("'", "'\\''");
  expect(said).toContain(`pass --storage '${word}' --namespace default`);
});

/** As the system says it. */
function systemError(message: string): Error {
  const [code, syscall] = [message.split(":")[0], "open"];
  return Object.assign(new Error(message), { code, syscall });
}

/** What is printed on stderr. */
function saidOf(error: unknown): string {
  let stderr = "";
  const [stdout, sink] = [
    { write: () => undefined },
    {
      write: (text: string) => {
        stderr += text;
      },
    },
  ];
  const modes = { isJson: false, isQuiet: false, isVerbose: false, isColorAllowed: false };
  reportError(error, new Output({ stdout, stderr: sink, env: {}, ...modes }));
  return stderr;
}

it.each([
  new ConflictError("messages", 5),
  new ModelInvalidError("m", "no model"),
  new ModelNotFoundError("m", "no such model"),
  new SessionNotFoundError("s"),
  new StorageUnavailableError("/x", "permission denied"),
  new StoreNotFoundError("/x"),
  new StoreSchemaError("/x", "messages", "is newer"),
  new UnsafePathError("s", "../x"),
  new ValidationError("session.id", "is empty"),
  new TypeError("a mistake"),
])("gives %s the same code as a server does", (error) => {
  expect(toWireError(factsOf(error)).code).toBe(serverError(error).code);
});

it("names the details of an error as the wire protocol does", () => {
  const facts = { code: "not_found", message: "m", details: { sessionId: "s", path: "p" } };

  expect(toWireError(facts).details).toEqual({ session_id: "s", path: "p" });
});

it("prints one JSON document when somebody stopped it, but no second one", () => {
  const stopped = {
    code: "internal",
    message: "Stopped. The rest is left.",
    details: { kind: "stopped" },
  };
  const modes = { isJson: true, isQuiet: false, isVerbose: false, isColorAllowed: false };
  const printed = (use: (output: Output) => unknown): string => {
    let text = "";
    const stdout = {
      write: (more: string) => {
        text += more;
      },
    };
    const stderr = { write: () => undefined };
    use(new Output({ stdout, stderr, env: {}, ...modes }));
    return text;
  };
  const abort = Object.assign(new Error("aborted"), { name: "AbortError" });

  expect(
    JSON.parse(printed((output) => reportStopped(output, safeText("The rest is left.")))),
  ).toEqual({
    error: stopped,
  });
  expect(JSON.parse(printed((output) => reportError(abort, output))).error.details).toEqual({
    kind: "stopped",
  });
  const report = printed((output) => {
    output.jsonText("{}");
    reportStopped(output);
  });
  expect(report).toBe("{}\n");
});
