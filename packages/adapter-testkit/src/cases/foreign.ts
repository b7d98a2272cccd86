import { fail } from "node:assert/strict";
import { partsOf } from "@pond/canonical";
import type { Lineage, Meanings, RestoredFile, SessionContent } from "@pond/canonical/adapter";
import { expectCounted } from "../fidelity.ts";
import type { AdapterCase, CompleteKit } from "../kit.ts";
import { readFiles } from "../read-files.ts";
import { expectAccepted, expectEverySession, expectSameFiles } from "../restored.ts";
import { sampleLineage, sampleMeanings, sampleText } from "../sample.ts";
import { restoredFiles } from "../source-files.ts";

/**
 * Any session can be handed to this client and becomes one of its own, whether its tools are known
 * or not.
 */
export function foreignCases(kit: CompleteKit): readonly AdapterCase[] {
  const known: readonly Meanings[] = [kit.meanings, sampleMeanings];
  const write = (lineage: Lineage, meanings: Meanings): readonly RestoredFile[] => [
    ...kit.writer.writeForeign(lineage, meanings),
  ];
  return [
    {
      rule: "adapter-native-restore-lossless",
      name: "a foreign restore is one that the client's own reader reads without a fault",
      run: async () => {
        for (const meanings of known) {
          const files = restoredFiles(write(sampleLineage(), meanings));

          const { contents } = await expectAccepted(kit, files);

          if (!contents.some(hasSampleText)) {
            fail(`no user says what the user of the sample said: ${JSON.stringify(sampleText)}`);
          }
        }
      },
    },
    {
      rule: "adapter-native-restore-lossless",
      name: "two foreign restores are equal",
      run: async () => {
        for (const meanings of known) {
          const [first, second] = [
            write(sampleLineage(), meanings),
            write(sampleLineage(), meanings),
          ];

          expectSameFiles(restoredFiles(first), restoredFiles(second));
        }
      },
    },
    {
      rule: "adapter-native-restore-lossless",
      name: "the fidelity of a foreign restore counts every part",
      run: async () => {
        for (const meanings of known) {
          expectCounted(sampleLineage(), write(sampleLineage(), meanings));
        }
      },
    },
    {
      rule: "adapter-integrity-additive-sync",
      name: "a foreign restore has ids of its own",
      run: async () => {
        const copies = await expectOwnIds(kit, sampleLineage());
        // An id that the client could have given may belong to another session all the same.
        for (const { session } of copies) {
          const names = [session.id, `${session.id}-child`, `${session.id}-grandchild`] as const;
          await expectOwnIds(kit, sampleLineage(names));
        }
      },
    },
    {
      rule: "adapter-lineage-complete-restore",
      name: "a foreign restore writes every session of the lineage",
      run: async () => expectEverySession(sampleLineage(), write(sampleLineage(), kit.meanings)),
    },
  ];
}

/** Fails if a copy has the id of an original: the next sync would add it to that. */
async function expectOwnIds(
  kit: CompleteKit,
  { root, descendants }: Lineage,
): Promise<readonly SessionContent[]> {
  const originals = new Set([root, ...descendants].map(({ session }) => session.id));
  const files = [...kit.writer.writeForeign({ root, descendants }, kit.meanings)];

  const { contents } = await readFiles(kit, restoredFiles(files));

  const kept = contents.find(({ session }) => originals.has(session.id));
  if (kept) fail(`the copy of session ${JSON.stringify(kept.session.id)} has the same id`);
  return contents;
}

function hasSampleText({ messages }: SessionContent): boolean {
  return messages.some((message) => {
    const texts = partsOf(message).map((part) => (part.type === "text" ? part.text : ""));
    return message.role === "user" && texts.join("").includes(sampleText);
  });
}
