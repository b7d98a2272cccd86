import { readdirSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { exportArchive } from "./export-archive.ts";
import { importArchive } from "./import-archive.ts";
import { demoSessions, storeOf, temporaryFolder } from "./testing.ts";
import { verifyArchive } from "./verify-archive.ts";

async function exported(): Promise<string> {
  const { file } = await exportArchive(
    await storeOf(...demoSessions(2)),
    join(temporaryFolder(), "a.pond"),
  );
  return file;
}

describe("the folder in which an archive is unpacked", () => {
  it.each([
    ["a file", "file"],
    ["a path below a file", "file/pond"],
    ["a path with too long a name", "x".repeat(300)],
  ])("is named in the error when it is unusable: %s", async (_, name) => {
    const home = temporaryFolder();
    writeFileSync(join(home, "file"), "");
    const folder = join(home, name);

    const refused = verifyArchive(await exported(), { temporaryFolder: folder });

    await expect(refused).rejects.toMatchObject({ code: "unpack_failed", details: { folder } });
  });

  it("is named in the error when its disk is full, with nothing left there and no store opened", async () => {
    const file = await exported();
    const folder = temporaryFolder();
    await using handle = await open(file);
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
      code: "ENOSPC",
      syscall: "write",
    });
    using _ = vi.spyOn(Object.getPrototypeOf(handle), "writeFile").mockRejectedValueOnce(full);
    const target = vi.fn();

    const refused = importArchive(file, target, { temporaryFolder: folder });

    await expect(refused).rejects.toMatchObject({
      code: "unpack_failed",
      message: `${folder}: no archive can be unpacked there: the disk is full`,
      details: { folder, reason: "the disk is full" },
    });
    expect(target).not.toHaveBeenCalled();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is created if it is missing, and left empty", async () => {
    const folder = join(temporaryFolder(), "a", "pond");

    await verifyArchive(await exported(), { temporaryFolder: folder });

    expect(readdirSync(folder)).toEqual([]);
  });
});
