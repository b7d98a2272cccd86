import { StorageUnavailableError } from "@pond/substrate";
import { expect, it } from "vitest";
import { Output } from "./output/output.ts";
import { reportError } from "./report-error.ts";

it.each([
  ["a full disk", new StorageUnavailableError("/x", "no space left on device"), /disk is full/],
  [
    "a full disk, as the system says it",
    Object.assign(new Error("ENOSPC: no space left on device, write"), { syscall: "write" }),
    /disk is full/,
  ],
  ["a folder", new StorageUnavailableError("/x", "permission denied"), /Check the folder/],
  ["a bucket", new StorageUnavailableError("s3://b/p", "it answers 503"), /Check the address/],
])("says what to do about %s", (_, error, hint) => {
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

  expect(stderr).toMatch(hint);
});
