import { existsSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DownloadError } from "../errors.ts";
import { type Environment, openNetwork } from "../network.ts";
import { type Clock, systemClock } from "../retry.ts";
import { downloadFile } from "./download-file.ts";
import { folderOf, manifestOf, sizeOf } from "./model-folder.ts";
import type { PinnedModel } from "./pinned-models.ts";

/** How far the download of one file is. */
export type DownloadProgress = {
  /** The file under way. */
  readonly file: string;
  /** Of all files of the model together. */
  readonly bytesDone: number;
  readonly bytesTotal: number;
};

/** Where a model goes, and where it comes from. */
export type DownloadOptions = {
  /** Where models are kept; the model gets a folder of its own there. */
  readonly cacheDirectory: string;
  /** Base address of the hub or a mirror; `HF_ENDPOINT` or the hub itself by default. */
  readonly endpoint?: string;
  /** Read for `HF_ENDPOINT`, `HF_TOKEN` and the proxy variables; `process.env` by default. */
  readonly env?: Environment;
  /** Told after each piece that arrived. */
  readonly onProgress?: (progress: DownloadProgress) => void;
  readonly signal?: AbortSignal;
};

const hub = "https://huggingface.co";

/**
 * Fetches the files of a model that are not there yet, resumes where an earlier call was cut, and
 * gives a file its name only when its size and SHA-256 are right.
 *
 * @returns The model's folder.
 * @throws {ModelNotFoundError} {@link ModelInvalidError} {@link DownloadError}
 */
export function downloadModel(
  model: string | PinnedModel,
  options: DownloadOptions,
): Promise<string> {
  return downloadBy(systemClock, model, options);
}

/** {@link downloadModel} by a clock of the caller's. */
export async function downloadBy(
  clock: Clock,
  model: string | PinnedModel,
  options: DownloadOptions,
): Promise<string> {
  const manifest = manifestOf(model);
  const { cacheDirectory, env = process.env, onProgress, signal } = options;
  signal?.throwIfAborted();
  const base = baseOf(manifest, options.endpoint || env["HF_ENDPOINT"] || hub);
  const folder = folderOf(manifest, cacheDirectory);
  const bytesTotal = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const token = env["HF_TOKEN"]?.trim();
  const network = await openNetwork(env);
  try {
    await makeFolder(folder);
    let before = 0;
    for (const file of manifest.files) {
      const report = (bytes: number) =>
        onProgress?.({ file: file.name, bytesDone: before + bytes, bytesTotal });
      if ((await sizeOf(join(folder, file.name))) !== file.bytes) {
        const url = new URL(file.path.split("/").map(encodeURIComponent).join("/"), base);
        await downloadFile({
          model: manifest.name,
          folder,
          file,
          url,
          token,
          network,
          clock,
          signal,
          report,
        });
      }
      report(file.bytes);
      before += file.bytes;
    }
    await flushFolder(folder);
  } catch (error) {
    throw toDownloadError(manifest.name, folder, error);
  } finally {
    await network.close();
  }
  return folder;
}

/** Where a revision's files are, below the hub or a mirror of it. */
function baseOf({ name, repository, revision }: PinnedModel, endpoint: string): URL {
  const root = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (root === undefined || !/^https?:$/.test(root.protocol)) {
    const reason = "the endpoint (HF_ENDPOINT) is not an http address";
    throw new DownloadError({ model: name, file: repository, reason });
  }
  root.pathname = `${root.pathname.replace(/\/+$/, "")}/${repository}/resolve/${revision}/`;
  return root;
}

/**
 * Makes a folder, and those above it that are missing. One step at a time: where a place takes none, as
 * `/proc`, Node's own way of making all of them never comes to an end.
 */
async function makeFolder(path: string): Promise<void> {
  const above = dirname(path);
  if (!existsSync(above) && above !== path) await makeFolder(above);
  await mkdir(path).catch((error: unknown) => {
    // Another may have been faster.
    if (!existsSync(path)) throw error;
  });
}

/** A rename is on disk when its folder is. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What the disk refuses is a failed download like any other; the rest passes through. */
function toDownloadError(model: string, folder: string, error: unknown): unknown {
  const isOfDisk = error instanceof Error && "syscall" in error && "code" in error;
  if (!isOfDisk || error instanceof DownloadError) return error;
  const path = "path" in error ? String(error.path) : folder;
  const reason = `cannot be written: ${String(error.code)}`;
  return new DownloadError({ model, file: path, reason }, { cause: error });
}
