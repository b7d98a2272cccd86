import { deepEqual, equal, fail, ok } from "node:assert/strict";
import { type PartType, parseJson, partsOf } from "@pond/canonical";
import type { Lineage, RestoredFile, SessionContent } from "@pond/canonical/adapter";
import type { AdapterCase, CompleteKit } from "../kit.ts";
import { readFiles } from "../read-files.ts";
import { linesOf } from "../records.ts";
import { sampleLineage, sampleText } from "../sample.ts";
import { restoredFiles, type SourceFiles } from "../source-files.ts";

/** Any session can be handed to this client, and is one there. */
export function foreignCases(kit: CompleteKit): readonly AdapterCase[] {
  const write = (lineage: Lineage) => [...kit.writer.writeForeign(lineage)];
  return [
    {
      rule: "adapter-native-restore-lossless",
      name: "a foreign restore is one that the client's own reader reads without a fault",
      run: async () => {
        const files = restoredFiles(write(sampleLineage()));
        ok(files.size > 0, "files were restored");
        expectParseable(kit, files);

        const { faults, contents, events } = await readFiles(kit, files);

        deepEqual(
          faults.map(({ message }) => message),
          [],
        );
        equal(
          events.some(({ kind }) => kind === "pending"),
          false,
          "nothing is pending",
        );
        ok(contents.some(saysSample), "the user's words are kept");
      },
    },
    {
      rule: "adapter-native-restore-lossless",
      name: "two foreign restores are equal",
      run: async () => {
        const [first, second] = [write(sampleLineage()), write(sampleLineage())];

        deepEqual(restoredFiles(first), restoredFiles(second));
      },
    },
    {
      rule: "adapter-native-restore-lossless",
      name: "the fidelity of a foreign restore counts every part",
      run: async () => expectFidelity(sampleLineage(), write(sampleLineage())),
    },
    {
      rule: "adapter-lineage-complete-restore",
      name: "a foreign restore writes every session of the lineage",
      run: async () => expectEverySession(sampleLineage(), write(sampleLineage())),
    },
    {
      rule: "adapter-lineage-complete-restore",
      name: "hostile session ids stay inside the client's folder, each in files of its own",
      run: async () => {
        const lineage = sampleLineage(["../../../etc/passwd", "/abs\\..\\c:", "a\u0000b\n.. "]);

        const files = write(lineage);

        for (const { path } of files) expectInside(path);
        expectEverySession(lineage, files);
        ok(restoredFiles(files).size > 0);
      },
    },
  ];
}

function saysSample({ messages }: SessionContent): boolean {
  return messages.some((message) => {
    const texts = partsOf(message).map((part) => (part.type === "text" ? part.text : ""));
    return message.role === "user" && texts.join("").includes(sampleText);
  });
}

function expectParseable(kit: CompleteKit, files: SourceFiles): void {
  for (const [path, bytes] of files) {
    if (path.endsWith(".json")) parseJson(Buffer.from(bytes).toString());
    if (!kit.isLineFile(path)) continue;
    for (const [index, { record }] of linesOf(bytes).entries()) {
      if (record === undefined) fail(`${path}:${index + 1} is no JSON object`);
    }
  }
}

export function expectEverySession(
  { root, descendants }: Lineage,
  files: Iterable<RestoredFile>,
): void {
  const written = new Set(Array.from(files, ({ session }) => session));
  const expected = [root, ...descendants].map(({ session }) => session.id);
  deepEqual([...written].sort(), expected.sort());
}

function expectInside(path: string): void {
  const isOutside =
    path.startsWith("/") || /^[a-z]:/i.test(path) || path.includes("\\") || path.includes("\0");
  const names = path.split("/");
  ok(!isOutside && !names.some((name) => name === ".." || name === "." || name === ""), path);
}

function expectFidelity({ root, descendants }: Lineage, files: readonly RestoredFile[]): void {
  for (const { session, messages } of [root, ...descendants]) {
    const counts = files.flatMap((file) => (file.session === session.id && file.fidelity) || []);
    for (const [type, expected] of partCounts(messages.flatMap(partsOf).map(({ type }) => type))) {
      const counted = counts
        .map((fidelity) => fidelity[type])
        .reduce((sum, count) => {
          return sum + (count ? count.kept + count.translated + count.dropped : 0);
        }, 0);
      equal(counted, expected, `${type} parts of ${session.id}`);
    }
  }
}

function partCounts(types: readonly PartType[]): ReadonlyMap<PartType, number> {
  const counts = new Map<PartType, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}
