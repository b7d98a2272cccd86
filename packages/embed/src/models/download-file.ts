import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Dispatcher } from "undici";
import { DownloadError } from "../errors.ts";
import { connectionFailure, type Network, publicAddress } from "../network.ts";
import {
  type Attempt,
  backgroundRetryPolicy,
  type Clock,
  isTransientStatus,
  retry,
  retryAfterMs,
} from "../retry.ts";
import { sizeOf } from "./model-folder.ts";
import type { PinnedFile } from "./pinned-models.ts";

export type FileDownload = {
  readonly model: string;
  readonly folder: string;
  readonly file: PinnedFile;
  readonly url: URL;
  readonly token: string | undefined;
  readonly network: Network;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** Called with the number of bytes of the file that have arrived. */
  readonly report: (bytes: number) => void;
};

const maxRedirects = 5;
const idleTimeoutMs = 60_000;

/**
 * Fetches one file into `NAME.part`, checks it and renames it. If another download changes that
 * file in the meantime, that is not a failure as long as the other one completes.
 *
 * @throws {DownloadError}
 */
export async function downloadFile(download: FileDownload): Promise<void> {
  const part = join(download.folder, `${download.file.name}.part`);
  try {
    await fetchChecked(download, part);
  } catch (error) {
    download.signal?.throwIfAborted();
    if (!(await isComplete(download))) throw error;
  }
  await rm(part, { force: true });
}

async function isComplete({ folder, file }: FileDownload): Promise<boolean> {
  return (await sizeOf(join(folder, file.name))) === file.bytes;
}

async function fetchChecked(download: FileDownload, part: string): Promise<void> {
  const { folder, file, report } = download;
  const leftoverBytes = (await sizeOf(part)) ?? 0;
  for (const isSecond of [false, true]) {
    await fetchWhole(download, part);
    if (await isComplete(download)) return;
    const found = await sha256Of(part);
    if (found === file.sha256) break;
    await rm(part);
    // What an earlier call left may be the wrong part, so one fresh start is worthwhile.
    if (leftoverBytes === 0 || isSecond) {
      const reason = `the server sent another file than the model's: its SHA-256 is ${found} instead of ${file.sha256}, so it was removed`;
      throw downloadFailure(download, reason, { problem: "other_content" });
    }
    report(0);
  }
  await rename(part, join(folder, file.name));
}

async function fetchWhole(download: FileDownload, part: string): Promise<void> {
  const { file, clock, signal } = download;
  for (;;) {
    const before = (await sizeOf(part)) ?? 0;
    if (before === file.bytes || (await isComplete(download))) return;
    const { outcome } = await retry(
      async () => {
        const outcome = await fetchRest(download, part);
        // A connection that is cut again and again still gets there.
        const hasProgressed = ((await sizeOf(part)) ?? 0) > before;
        return hasProgressed && !outcome.ok && outcome.isTransient
          ? { ok: true, value: "cut" }
          : outcome;
      },
      // Counts tries in a row that bring no byte; any byte restores them all.
      backgroundRetryPolicy,
      clock,
      { signal },
    );
    if (outcome.ok) continue;
    const { reason, status } = outcome;
    throw downloadFailure(download, reason, { ...(status !== undefined && { status }) });
  }
}

/** Requests the missing bytes and appends them. */
async function fetchRest(download: FileDownload, part: string): Promise<Attempt<string>> {
  const { file, clock, signal } = download;
  let start = (await sizeOf(part)) ?? 0;
  if (start > file.bytes) {
    await rm(part);
    start = 0;
  }
  let response: Dispatcher.ResponseData;
  try {
    const answer = await get(download, start);
    if ("ok" in answer) return answer;
    response = answer;
  } catch (error) {
    signal?.throwIfAborted();
    return { ok: false, ...connectionFailure(error) };
  }
  const { statusCode: status, headers, body } = response;
  const refuse = (reason: string, isTransient = isTransientStatus(status)): Attempt<string> => {
    body.on("error", () => {}).destroy();
    return {
      ok: false,
      reason,
      status,
      isTransient,
      retryAfterMs: retryAfterMs(headers["retry-after"], clock),
    };
  };
  if (status === 416) {
    await rm(part, { force: true });
    return refuse("the server cannot continue where the last download ended", start > 0);
  }
  if (status === 404) return refuse("the server has no such file");
  if (status === 401 || status === 403) {
    return refuse(
      `the server refuses (${status}); it may need a token that can read it, in HF_TOKEN`,
    );
  }
  if (status !== 200 && status !== 206) return refuse(`the server answered ${status}`);
  if (status === 206 && rangeStart(headers["content-range"]) !== start) {
    await rm(part, { force: true });
    return refuse("the server sent another part of the file than requested", start > 0);
  }
  // A server that does not know ranges sends everything again.
  return receive(download, body, part, status === 206 ? start : 0);
}

async function receive(
  { file, signal, report }: FileDownload,
  body: Dispatcher.ResponseData["body"],
  part: string,
  start: number,
): Promise<Attempt<string>> {
  const handle = await open(part, start === 0 ? "w" : "r+");
  let at = start;
  try {
    report(at);
    for await (const chunk of chunksOf(body, signal)) {
      if (chunk instanceof Error) return { ok: false, ...connectionFailure(chunk) };
      if (at + chunk.length > file.bytes) {
        const reason = `the server sends more than its ${file.bytes} bytes`;
        return { ok: false, reason, isTransient: false };
      }
      await writeAll(handle, chunk, at);
      at += chunk.length;
      report(at);
    }
    if (at === file.bytes) return { ok: true, value: "whole" };
    const reason = `the server stopped at ${at} of ${file.bytes} bytes`;
    return { ok: false, reason, isTransient: true };
  } finally {
    await handle.sync();
    await handle.close();
    body.on("error", () => {}).destroy();
  }
}

/**
 * The chunks of the body. If the connection breaks, its error is the last of them; a full disk
 * throws elsewhere.
 */
async function* chunksOf(
  body: AsyncIterable<Buffer>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer | Error> {
  try {
    yield* body;
  } catch (error) {
    signal?.throwIfAborted();
    yield error instanceof Error ? error : new Error(String(error));
  }
}

async function writeAll(handle: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    const { bytesWritten } = await handle.write(chunk, done, chunk.length - done, position + done);
    done += bytesWritten;
  }
}

/** Follows redirects. The token goes only to the host that was named. */
async function get(
  { url: first, token, network, signal }: FileDownload,
  start: number,
): Promise<Dispatcher.ResponseData | Extract<Attempt<never>, { ok: false }>> {
  let url = first;
  for (let hops = 0; hops <= maxRedirects; hops++) {
    const response = await network.request(url, {
      method: "GET",
      headers: {
        "accept-encoding": "identity",
        "user-agent": "pond",
        ...(start > 0 && { range: `bytes=${start}-` }),
        ...(token && url.origin === first.origin && { authorization: `Bearer ${token}` }),
      },
      signal,
      idleTimeoutMs,
    });
    const { location } = response.headers;
    if (response.statusCode < 300 || response.statusCode >= 400 || typeof location !== "string") {
      return response;
    }
    await response.body.dump();
    const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    if (next?.protocol !== "https:" && next?.protocol !== url.protocol) {
      return {
        ok: false,
        reason: "the server redirects to an address that is not safe",
        isTransient: false,
      };
    }
    url = next;
  }
  return { ok: false, reason: "the server redirects in a circle", isTransient: false };
}

function rangeStart(header: string | string[] | undefined): number | undefined {
  const start = /^bytes (\d+)-/.exec(String(header ?? ""))?.[1];
  return start === undefined ? undefined : Number(start);
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}

function downloadFailure(
  { model, file, url }: FileDownload,
  reason: string,
  more: Pick<DownloadError["details"], "status" | "problem">,
): DownloadError {
  return new DownloadError({
    model,
    file: file.name,
    reason,
    url: publicAddress(url),
    ...more,
  });
}
