import { fail } from "node:assert/strict";
import { partsOf } from "@pond/canonical";
import type { Lineage, ReadTool, RestoredFile, SessionContent } from "@pond/canonical/adapter";
import { expectCounted } from "../fidelity.ts";
import type { AdapterCase, CompleteKit } from "../kit.ts";
import { expectAccepted, expectEverySession, expectSameFiles } from "../restored.ts";
import { sampleLineage, sampleText, sampleTools } from "../sample.ts";
import { restoredFiles } from "../source-files.ts";

/** Any session can be handed to this client, and is one there, whether its tools are known or not. */
export function foreignCases(kit: CompleteKit): readonly AdapterCase[] {
  const toolReaders: readonly ReadTool[] = [kit.readTool, sampleTools];
  const write = (lineage: Lineage, readTool: ReadTool): readonly RestoredFile[] => [
    ...kit.writer.writeForeign(lineage, readTool),
  ];
  return [
    {
      rule: "adapter-native-restore-lossless",
      name: "a foreign restore is one that the client's own reader reads without a fault",
      run: async () => {
        for (const readTool of toolReaders) {
          const files = restoredFiles(write(sampleLineage(), readTool));

          const { contents } = await expectAccepted(kit, files);

          if (!contents.some(saysSample)) {
            fail(`no user says what the user of the sample said: ${JSON.stringify(sampleText)}`);
          }
        }
      },
    },
    {
      rule: "adapter-native-restore-lossless",
      name: "two foreign restores are equal",
      run: async () => {
        for (const readTool of toolReaders) {
          const [first, second] = [
            write(sampleLineage(), readTool),
            write(sampleLineage(), readTool),
          ];

          expectSameFiles(restoredFiles(first), restoredFiles(second));
        }
      },
    },
    {
      rule: "adapter-native-restore-lossless",
      name: "the fidelity of a foreign restore counts every part",
      run: async () => {
        for (const readTool of toolReaders) {
          expectCounted(sampleLineage(), write(sampleLineage(), readTool));
        }
      },
    },
    {
      rule: "adapter-lineage-complete-restore",
      name: "a foreign restore writes every session of the lineage",
      run: async () => expectEverySession(sampleLineage(), write(sampleLineage(), kit.readTool)),
    },
  ];
}

function saysSample({ messages }: SessionContent): boolean {
  return messages.some((message) => {
    const texts = partsOf(message).map((part) => (part.type === "text" ? part.text : ""));
    return message.role === "user" && texts.join("").includes(sampleText);
  });
}
