import { randomInt } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "@pond/canonical/adapter";
import { withLock } from "./lock.ts";

/** How {@link savePhiCoreSession} waits for other programs. */
export type SaveOptions = {
  /**
   * How long to wait for a program that is writing the session. Default: 5 s, as in the library.
   */
  readonly patienceMs?: number;
};

/**
 * Writes a session file as phi-core's own store does, so that a program that uses the folder
 * neither sees half of it nor writes at the same time: under the lock `<file>.lock`, which stays
 * there, through a draft that is flushed and renamed.
 *
 * @param file - `<session id>.json` in the folder of the program.
 * @throws {LockedError} @throws {NoLockError}
 */
export async function savePhiCoreSession(
  file: string,
  content: Iterable<string | Uint8Array>,
  { patienceMs = 5_000 }: SaveOptions = {},
): Promise<void> {
  await makeFolder(dirname(file));
  await withLock(`${file}.lock`, patienceMs, async () => {
    const draft = `${file}.tmp.${process.pid}.${process.hrtime.bigint()}${randomInt(1000)}`;
    const handle = await open(draft, "wx", 0o600);
    try {
      try {
        for (const piece of content) await handle.writeFile(piece);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, file);
    } finally {
      await rm(draft, { force: true });
    }
  });
}
