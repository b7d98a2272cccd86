import { ok } from "node:assert/strict";
import {
  isJsonObject,
  type JsonObject,
  messageFromWire,
  messageToWire,
  PondError,
  sessionFromWire,
  sessionToWire,
} from "@pond/canonical";
import type { Lineage, RestoredFile, SessionContent } from "@pond/canonical/adapter";
import { type AdapterCase, type CompleteKit, fixturesOf } from "../kit.ts";
import { readFiles } from "../read-files.ts";
import { expectEverySession, expectInside } from "../restored.ts";
import { sampleLineage } from "../sample.ts";
import { restoredFiles } from "../source-files.ts";

/** Whatever a session says about itself, its files stay in the client's folder. */
export function pathCases(kit: CompleteKit): readonly AdapterCase[] {
  const foreign: AdapterCase = {
    rule: "adapter-lineage-complete-restore",
    name: "hostile session ids stay inside the client's folder, each in files of its own",
    run: async () => {
      const lineage = sampleLineage(["../../../etc/passwd", "/abs\\..\\c:", "a\u0000b\n.. "]);

      const files = [...kit.writer.writeForeign(lineage, kit.meanings)];

      for (const { path } of files) expectInside(path);
      expectEverySession(lineage, files);
      ok(restoredFiles(files).size > 0);
    },
  };
  const native = fixturesOf(kit).map((fixture) => ({
    rule: "adapter-native-restore-lossless",
    name: `hostile paths and ids in ${fixture.name} lead nowhere outside the client's folder`,
    run: async () => {
      const { lineages } = await readFiles(kit, await fixture.load());
      for (const lineage of lineages) {
        for (const place of hostilePlaces) expectHarmless(kit, moved(lineage, place));
      }
    },
  }));
  return [foreign, ...native];
}

const hostilePlaces = [
  "../../../etc/passwd",
  "/etc/passwd",
  "C:\\loom.jsonl",
  "loom/../../loom.jsonl",
  "..\\..\\loom.jsonl",
  "a\u0000b",
  "..",
];

/** The writer stays inside or refuses with a message: no hostile value makes it crash. */
function expectHarmless({ writer, keepsInside }: CompleteKit, lineage: Lineage): void {
  let files: readonly RestoredFile[];
  try {
    files = [...writer.writeNative(lineage)];
  } catch (error) {
    if (PondError.is(error)) return;
    throw error;
  }
  expectEverySession(lineage, files);
  if (keepsInside) for (const { path } of files) expectInside(path);
}

/** The lineage as a source would give it that wants to be restored to `place`. */
function moved({ root, descendants }: Lineage, place: string): Lineage {
  const move = ({ session, messages }: SessionContent): SessionContent => {
    const id = `${place}${session.id}`;
    const { parent_session_id: parent, ...wire } = sessionToWire(session);
    const above = parent === undefined ? {} : { parent_session_id: `${place}${parent}` };
    return {
      session: sessionFromWire({ ...wire, ...above, id, options: placed(session.options, place) }),
      messages: messages.map((message) => {
        const { content, options, ...header } = messageToWire(message);
        const parts =
          typeof content === "string"
            ? content
            : content.map((part) => ({ ...part, session_id: id }));
        return messageFromWire({
          ...header,
          session_id: id,
          options: placed(options, place),
          content: parts,
        });
      }),
    };
  };
  return { root: move(root), descendants: descendants.map(move) };
}

function placed(options: JsonObject, place: string): JsonObject {
  const { source } = options;
  const path = isJsonObject(source) ? source["path"] : undefined;
  const isPlaced = isJsonObject(source) && typeof path === "string";
  return isPlaced ? { ...options, source: { ...source, path: place } } : options;
}
