import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StorageUnavailableError, StoreNotFoundError, StoreSchemaError } from "@pond/substrate";
import { expect, it, onTestFinished } from "vitest";
import { Output } from "./output/output.ts";
import { shown } from "./output/shown.ts";
import { reportError, sayStopped, toWireError } from "./report-error.ts";

it.each([
  ["a full disk", new StorageUnavailableError("/x", "no space left on device"), /disk is full/],
  [
    "a full disk, as the system says it",
    Object.assign(new Error("ENOSPC: no space left on device, write"), { syscall: "write" }),
    /disk is full/,
  ],
  [
    "a file in the way, as the system says it",
    Object.assign(new Error("ENOTDIR: not a directory, mkdir '/f/x'"), { syscall: "mkdir" }),
    /name another place/,
  ],
  [
    "what is not allowed, as the system says it",
    Object.assign(new Error("EACCES: permission denied, open '/f'"), { syscall: "open" }),
    /check the permissions/,
  ],
  [
    "a damaged store",
    new StorageUnavailableError("/x", "what is stored there is damaged"),
    /`pond status --verify` names the files/,
  ],
  [
    "a table that is not there yet",
    new StoreSchemaError("/x", "windows", "there was no such table; write to it once"),
    /`pond sync` does that/,
  ],
  [
    "a table that is lost",
    new StoreSchemaError("/x", "parts", "it is lost: messages holds rows"),
    /`pond status --verify` says/,
  ],
  [
    "an index that lost a file",
    new StorageUnavailableError("/x", "/x/parts.lance/_indices/0/a.lance is not there"),
    /`pond sync` makes it again/,
  ],
  ["a folder", new StorageUnavailableError("/x", "permission denied"), /Check the folder/],
  ["a bucket", new StorageUnavailableError("s3://b/p", "it answers 503"), /Check the address/],
])("says what to do about %s", (_, error, hint) => {
  expect(saidOf(error)).toMatch(hint);
});

it("writes the flags for the shell where the folder of a store itself was given", () => {
  const folder = mkdtempSync(join(tmpdir(), "pond's "));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "default", "sessions.lance"), { recursive: true });

  const said = saidOf(new StoreNotFoundError(join(folder, "default", "default")));

  const word = folder.replaceAll("'", "'\\''");
  expect(said).toContain(`say --storage '${word}' --namespace default`);
});

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

it("names the facts of an error as the wire does", () => {
  const facts = { code: "not_found", message: "m", details: { sessionId: "s", path: "p" } };

  expect(toWireError(facts).details).toEqual({ session_id: "s", path: "p" });
});

it("prints one document where somebody stopped it, and none beside another", () => {
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

  expect(JSON.parse(printed((output) => sayStopped(output, shown("The rest is left."))))).toEqual({
    error: stopped,
  });
  expect(JSON.parse(printed((output) => reportError(abort, output))).error.details).toEqual({
    kind: "stopped",
  });
  const report = printed((output) => {
    output.jsonText("{}");
    sayStopped(output);
  });
  expect(report).toBe("{}\n");
});
