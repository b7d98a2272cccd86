import { fail } from "node:assert/strict";
import type { Lineage, RestoredFile, SessionContent } from "@pond/canonical/adapter";
import { expectSameEvents } from "../event-difference.ts";
import { expectCounted, expectHonest } from "../fidelity.ts";
import { forGenerated } from "../generated/for-generated.ts";
import { firstMissingStatement, statementsOf } from "../generated/statements.ts";
import type { AdapterCase, CompleteKit } from "../kit.ts";
import { readFiles } from "../read-files.ts";
import {
  expectAccepted,
  expectEverySession,
  expectInside,
  expectSameFiles,
  expectSameRecords,
} from "../restored.ts";
import { restoredFiles } from "../source-files.ts";

/**
 * Sessions that nobody would write by hand go through the writer and come back through the reader.
 */
export function generatedCases(kit: CompleteKit): readonly AdapterCase[] {
  return laws.map(({ rule, name, check }) => ({
    rule,
    name: `generated sessions ${name}`,
    run: () =>
      forGenerated(kit.generated, (lineage, known) => {
        const meanings = known ?? kit.meanings;
        return check(kit, lineage, () => [...kit.writer.writeForeign(lineage, meanings)]);
      }),
  }));
}

type Law = {
  readonly rule: string;
  readonly name: string;
  readonly check: (
    kit: CompleteKit,
    lineage: Lineage,
    write: () => readonly RestoredFile[],
  ) => Promise<void>;
};

const laws: readonly Law[] = [
  {
    rule: "adapter-native-restore-lossless",
    name: "are ones that the client takes",
    check: async (kit, _, write) => void (await expectAccepted(kit, restoredFiles(write()))),
  },
  {
    rule: "adapter-lineage-complete-restore",
    name: "stay inside the client's folder, each in files of its own",
    check: async (_, lineage, write) => {
      const written = write();

      expectEverySession(lineage, written);
      for (const path of restoredFiles(written).keys()) expectInside(path);
    },
  },
  {
    rule: "adapter-native-restore-lossless",
    name: "keep all that was said and called, once and in order",
    check: async (kit, { root, descendants }, write) => {
      const { contents } = await readFiles(kit, restoredFiles(write()));

      for (const content of [root, ...descendants]) expectStatements(content, contents);
    },
  },
  {
    rule: "adapter-native-restore-lossless",
    name: "lose no more than their fidelity says",
    check: async (kit, lineage, write) => {
      const written = write();
      const { contents } = await readFiles(kit, restoredFiles(written));

      expectCounted(lineage, written);
      expectHonest(lineage, written, contents);
    },
  },
  {
    rule: "lance-deterministic-pk",
    name: "are equal whenever they are written and read",
    check: async (kit, _, write) => {
      const [files, again] = [restoredFiles(write()), restoredFiles(write())];
      const [first, second] = [await readFiles(kit, files), await readFiles(kit, again)];

      expectSameFiles(files, again);
      expectSameEvents(first.canonical, second.canonical, "the second read");
    },
  },
  {
    rule: "adapter-native-restore-lossless",
    name: "restore natively to the records they were read from",
    check: async (kit, _, write) => {
      const files = restoredFiles(write());
      const { lineages } = await readFiles(kit, files);

      const restored = lineages.flatMap((lineage) => [...kit.writer.writeNative(lineage)]);

      expectSameRecords(kit, files, restoredFiles(restored));
    },
  },
];

/** Fails unless one of the sessions read back says what this one says. */
function expectStatements(content: SessionContent, readBack: readonly SessionContent[]): void {
  const statements = statementsOf(content);
  if (statements.length === 0) return;
  const reasons = readBack.map((other) => firstMissingStatement(other, statements));
  if (reasons.includes(undefined)) return;
  // The session that goes furthest is the one that this one became.
  const [reason] = reasons.flatMap((one) => one ?? []).sort((one, other) => other.at - one.at);
  fail(`session ${JSON.stringify(content.session.id)}: ${reason?.what ?? "is not there at all"}`);
}
