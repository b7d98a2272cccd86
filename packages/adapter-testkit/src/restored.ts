import { fail, ok } from "node:assert/strict";
import { type JsonValue, parseJson, tryParseObject } from "@pond/canonical";
import type { Lineage, RestoredFile } from "@pond/canonical/adapter";
import { firstDifference, shortened } from "./difference.ts";
import type { CompleteKit } from "./kit.ts";
import { type ReadResult, readFiles } from "./read-files.ts";
import type { SourceFiles } from "./source-files.ts";

/** Fails unless the files hold every session of the lineage and no other. */
export function expectEverySession(
  { root, descendants }: Lineage,
  files: Iterable<RestoredFile>,
): void {
  const written = new Set(Array.from(files, ({ session }) => session));
  const expected = [root, ...descendants].map(({ session }) => session.id);
  const lost = expected.filter((id) => !written.has(id));
  if (lost.length > 0) fail(`${named(lost)} of ${expected.length} sessions are not written`);
  const others = [...written].filter((id) => !expected.includes(id));
  if (others.length > 0) fail(`${named(others)} are written and belong to no session`);
}

/** Fails unless both hold the same files, byte for byte. */
export function expectSameFiles(expected: SourceFiles, actual: SourceFiles): void {
  for (const path of actual.keys()) if (!expected.has(path)) fail(`${path} was not there before`);
  for (const [path, bytes] of expected) {
    const [before, after] = [textOf(bytes), actual.get(path)];
    if (after === undefined) fail(`${path} is missing the second time`);
    const lines = textOf(after).split("\n");
    for (const [index, line] of before.split("\n").entries()) {
      const other = lines[index] ?? "";
      if (line === other) continue;
      const [right, found] = shortened(readable(line), readable(other));
      fail(`${path}, line ${index + 1}: ${found} instead of ${right}`);
    }
    if (before !== textOf(after)) fail(`${path} is longer the second time`);
  }
}

/** Fails if the path leads out of the folder on any system that a client runs on. */
export function expectInside(path: string): void {
  const isOutside =
    path.startsWith("/") || /^[a-z]:/i.test(path) || path.includes("\\") || path.includes("\0");
  const names = path.split("/");
  const leaves = isOutside || names.some((name) => name === ".." || name === "." || name === "");
  ok(!leaves, `${JSON.stringify(path)} leads out of the client's folder`);
}

/**
 * Fails unless the client would accept the files, judged by its validator and by the adapter's
 * reader.
 */
export async function expectAccepted(kit: CompleteKit, files: SourceFiles): Promise<ReadResult> {
  if (files.size === 0) fail("no file was restored");
  expectParseable(kit, files);
  const problems = kit.problems(files);
  if (problems.length > 0) fail(`the client would refuse this: ${problems.slice(0, 5).join("; ")}`);
  const result = await readFiles(kit, files);
  const [fault] = result.faults;
  if (fault) fail(`a restored file is read with a fault: ${fault.message}`);
  const pending = result.events.find((event) => event.kind === "pending");
  if (pending) fail(`a restored record is pending: ${pending.location}: ${pending.reason}`);
  return result;
}

/** Fails unless both hold the same records in the same files, in the same order. */
export function expectSameRecords(
  kit: CompleteKit,
  expected: SourceFiles,
  actual: SourceFiles,
  isRefused: (path: string) => boolean = () => false,
): void {
  const restored = kit.records(actual);
  for (const [path, records] of kit.records(expected)) {
    if (!isRefused(path)) expectRecords(path, records, restored.get(path));
  }
  for (const path of actual.keys()) {
    if (!expected.has(path)) fail(`${path} was restored and is not in the source`);
  }
}

function expectRecords(
  path: string,
  expected: readonly JsonValue[],
  actual: readonly JsonValue[] | undefined,
): void {
  if (actual === undefined) {
    if (expected.length > 0) fail(`${path} was not restored`);
    return;
  }
  for (const [index, record] of expected.entries()) {
    const other: JsonValue | undefined = actual[index];
    const difference: string | undefined =
      other === undefined ? "is missing" : firstDifference(record, other);
    if (difference !== undefined) fail(`${path}, record ${index + 1}: ${difference}`);
  }
  if (actual.length > expected.length) {
    fail(`${path} has ${actual.length} records instead of ${expected.length}`);
  }
}

function expectParseable(kit: CompleteKit, files: SourceFiles): void {
  for (const [path, bytes] of files) {
    if (path.endsWith(".json")) parseJson(Buffer.from(bytes).toString());
    if (!kit.isLineFile(path)) continue;
    const lines = Buffer.from(bytes).toString().replace(/\n$/, "").split("\n");
    for (const [index, line] of bytes.length > 0 ? lines.entries() : []) {
      if (tryParseObject(line) === undefined) fail(`${path}:${index + 1} is no JSON object`);
    }
  }
}

function named(ids: readonly string[]): string {
  return ids.map((id) => JSON.stringify(id)).join(", ");
}

/** Every byte as one character, so that no two files look the same. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

function readable(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString();
}
