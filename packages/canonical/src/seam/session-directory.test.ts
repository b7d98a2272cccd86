import { expect, test } from "vitest";
import { directoryOf } from "./session-directory.ts";

test.each(["/home/ada/loom", "/", "C:\\loom", "c:/loom", "\\\\host\\share"])(
  "%s is a directory, of whatever system",
  (project) => expect(directoryOf({ project })).toBe(project),
);

test.each(["https://example.com/loom.git", "loom", "agent:weaver", "C:loom", "", "./loom"])(
  "%j is no directory",
  (project) => expect(directoryOf({ project })).toBeUndefined(),
);
