import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { makeFolder } from "@pond/sessions";
import { type Store, SubstrateError } from "@pond/substrate";
import { checkRows } from "./check-rows.ts";
import { ArchiveDamagedError, UnpackFailedError } from "./errors.ts";
import type { Manifest } from "./manifest.ts";
import type { ProgressOptions } from "./progress.ts";
import { openArchiveFile } from "./read-tar.ts";
import { withScratchFolder } from "./scratch.ts";
import { openScratchStore } from "./scratch-store.ts";
import { archiveTables } from "./tables.ts";
import { readContents, unpack } from "./unpack.ts";

/** How an archive is read. */
export type OpenOptions = ProgressOptions & {
  /**
   * Where the datasets are unpacked temporarily; made if it does not exist. It needs as much room
   * as the archive takes. Default: the system's folder for such files, which may be in memory.
   */
  readonly temporaryFolder?: string | undefined;
};

/**
 * Lends the store that an archive holds, after everything was verified: the file, each dataset, and
 * each row. What was unpacked for that is removed in any case.
 *
 * @throws {ArchiveError}
 * @throws {UnpackFailedError} if the folder takes no more.
 */
export async function withArchive<T>(
  path: string,
  { temporaryFolder = tmpdir(), ...watch }: OpenOptions,
  use: (store: Store, manifest: Manifest) => Promise<T>,
): Promise<T> {
  const file = resolve(path);
  await using handle = await openArchiveFile(file);
  const contents = await readContents(handle, file);
  const refused = (error: unknown) => UnpackFailedError.from(temporaryFolder, error);
  await makeFolder(temporaryFolder).catch((error: unknown) => {
    throw refused(error);
  });
  const scratch = join(temporaryFolder, "pond-archive");
  const verifyAndUse = async (folder: string): Promise<T> => {
    await unpack(handle, file, contents, folder, watch);
    const { manifest } = contents;
    const store = await openDatasets(folder, file);
    try {
      await checked(file, () => checkRows(store, file, manifest, watch));
      return await use(store, manifest);
    } finally {
      store.close();
    }
  };
  return await withScratchFolder(scratch, verifyAndUse, refused);
}

function openDatasets(folder: string, file: string): Promise<Store> {
  return checked(file, () => openScratchStore(folder, { tables: archiveTables() }));
}

/** An export never wrote what the engine cannot read, however right its checksums are. */
async function checked<T>(file: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isEngineError(error)) throw error;
    const reason = `its tables cannot be read: ${error.message}`;
    throw new ArchiveDamagedError({ file }, reason, { cause: error });
  }
}

/** The engine's errors for unreadable files have no type of their own. */
function isEngineError(error: unknown): error is Error {
  if (error instanceof SubstrateError) return true;
  return error instanceof Error && "code" in error && error.code === "GenericFailure";
}
