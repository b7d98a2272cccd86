import { existsSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DownloadError } from "../errors.ts";
import { type Environment, openNetwork } from "../network.ts";
import { type Clock, systemClock } from "../retry.ts";
import { downloadFile } from "./download-file.ts";
import { folderOf, manifestOf, sizeOf } from "./model-folder.ts";
import type { PinnedModel } from "./pinned-models.ts";

/** The progress of a model's download. */
export type DownloadProgress = {
  /** The file that is being fetched. */
  readonly file: string;
  /** Over all files of the model. */
  readonly bytesDone: number;
  readonly bytesTotal: number;
};

/** Where a model is stored, and where it comes from. */
export type DownloadOptions = {
  /** Where models are kept. The model gets a folder of its own there. */
  readonly cacheDirectory: string;
  /** Base address of the hub or a mirror. Default: `HF_ENDPOINT`, or the hub itself. */
  readonly endpoint?: string;
  /** Read for `HF_ENDPOINT`, `HF_TOKEN` and the proxy variables. Default: `process.env`. */
  readonly env?: Environment;
  /** Called after each piece that arrives. */
  readonly onProgress?: (progress: DownloadProgress) => void;
  readonly signal?: AbortSignal;
};

const hub = "https://huggingface.co";

/**
 * Fetches the files of a model that are missing and resumes a download that was cut. A file gets
 * its name only when its size and SHA-256 are right.
 *
 * @returns The model's folder.
 * @throws {ModelNotFoundError} {@link ModelInvalidError} {@link DownloadError}
 */
export function downloadModel(
  model: string | PinnedModel,
  options: DownloadOptions,
): Promise<string> {
  return downloadWithClock(systemClock, model, options);
}

/** Like {@link downloadModel}, with the caller's clock. */
export async function downloadWithClock(
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

/** Where the files of a revision are, on the hub or a mirror of it. */
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
 * Makes a folder and the missing folders above it. It goes one step at a time: in a place that
 * accepts no folder, such as `/proc`, Node's recursive way never comes to an end.
 */
async function makeFolder(path: string): Promise<void> {
  const above = dirname(path);
  if (!existsSync(above) && above !== path) await makeFolder(above);
  await mkdir(path).catch((error: unknown) => {
    // Another process may have been faster.
    if (!existsSync(path)) throw error;
  });
}

/** A rename is on disk once its folder is. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Turns an error of the disk into a failed download; other errors pass through. */
function toDownloadError(model: string, folder: string, error: unknown): unknown {
  const isDiskError = error instanceof Error && "syscall" in error && "code" in error;
  if (!isDiskError || error instanceof DownloadError) return error;
  const path = "path" in error ? String(error.path) : folder;
  const reason = `cannot be written: ${String(error.code)}`;
  return new DownloadError({ model, file: path, reason }, { cause: error });
}
