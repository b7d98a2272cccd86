import { fail } from "node:assert/strict";
import { type PartType, partsOf } from "@pond/canonical";
import type { FidelityCount, Lineage, RestoredFile, SessionContent } from "@pond/canonical/adapter";
import { piecesOf } from "./generated/pieces.ts";

/** Fails unless every part of every session, and every system message, is counted exactly once. */
export function expectCounted(lineage: Lineage, files: readonly RestoredFile[]): void {
  for (const content of [lineage.root, ...lineage.descendants]) {
    const counted = countsOf(content, files);
    const parts = typesOf(content);
    for (const type of types) {
      const { kept, translated, dropped } = counted(type);
      if (![kept, translated, dropped].every((count) => Number.isInteger(count) && count >= 0)) {
        fail(`session ${content.session.id}: its fidelity counts ${type} by no whole numbers`);
      }
      const [sum, expected] = [
        kept + translated + dropped,
        parts.filter((each) => each === type).length,
      ];
      if (sum !== expected) {
        fail(`session ${content.session.id}: its fidelity counts ${sum} ${type} of ${expected}`);
      }
    }
  }
}

/** Fails if what was read back lacks more than the fidelity says was dropped. */
export function expectHonest(
  lineage: Lineage,
  files: readonly RestoredFile[],
  readBack: readonly SessionContent[],
): void {
  const found = new Set(readBack.flatMap(piecesOf).flatMap(({ marks }) => marks));
  for (const content of [lineage.root, ...lineage.descendants]) {
    const counted = countsOf(content, files);
    const lost = piecesOf(content).filter(
      ({ marks }) => marks.length > 0 && !marks.some((mark) => found.has(mark)),
    );
    for (const type of types) {
      const gone = lost.filter((piece) => piece.type === type);
      const { dropped } = counted(type);
      if (gone.length <= dropped) continue;
      const marks = gone.flatMap((piece) => piece.marks).join(" ");
      fail(
        `session ${content.session.id}: ${gone.length} ${type} are gone (${marks}), ` +
          `and its fidelity says that ${dropped} were dropped`,
      );
    }
  }
}

type CountedType = PartType | "system";

const types: readonly CountedType[] = [
  "system",
  "text",
  "file",
  "reasoning",
  "tool_call",
  "tool_result",
  "tool_approval_request",
  "tool_approval_response",
];

function typesOf({ messages }: SessionContent): readonly CountedType[] {
  return messages.flatMap((message): CountedType | readonly CountedType[] =>
    message.role === "system" ? "system" : partsOf(message).map(({ type }) => type),
  );
}

/** The sum of the counts that a session's files report, by type. */
function countsOf(
  { session }: SessionContent,
  files: readonly RestoredFile[],
): (type: CountedType) => FidelityCount {
  const own = files.flatMap((file) => (file.session === session.id && file.fidelity) || []);
  return (type) => {
    const counts = own.flatMap((fidelity) => fidelity[type] ?? []);
    const sum = (outcome: keyof FidelityCount): number =>
      counts.reduce((total, count) => total + count[outcome], 0);
    return { kept: sum("kept"), translated: sum("translated"), dropped: sum("dropped") };
  };
}
