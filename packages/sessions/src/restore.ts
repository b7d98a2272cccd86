import { type Message, partsOf } from "@pond/canonical";
import type {
  Fidelity,
  FidelityCount,
  Lineage,
  RestoredFile,
  Writer,
} from "@pond/canonical/adapter";
import type { At } from "./content.ts";
import { UnsafePathError } from "./errors.ts";
import { loadLineage } from "./lineage.ts";
import type { SessionStore } from "./session-store.ts";

export type Restored = {
  readonly files: readonly RestoredFile[];
  /** True where every session goes back to the client it came from. */
  readonly isNative: boolean;
  /** What became of each part type, over all sessions. */
  readonly fidelity: Fidelity;
};

/**
 * The files of a session and of all below it, for a client. The origins decide whether the restore
 * is native, never the adapter (`adapter-native-restore-lossless`).
 *
 * @throws {SessionNotFoundError}
 * @throws {LineageCycleError}
 * @throws {UnsafePathError} where a session names a place outside the client's folder.
 */
export async function restore(
  sessions: SessionStore,
  id: string,
  writer: Writer,
  { at = "last" }: { readonly at?: At } = {},
): Promise<Restored> {
  const lineage = await loadLineage(sessions, id, { at });
  const isNative = contents(lineage).every(({ session }) => session.source_agent === writer.origin);
  const files = [...(isNative ? writer.writeNative(lineage) : writer.writeForeign(lineage))];
  for (const { session, path } of files) {
    if (!isInside(path)) throw new UnsafePathError(session, path);
  }
  const fidelity = isNative
    ? keptWhole(contents(lineage).flatMap(({ messages }) => messages))
    : sum(files.flatMap((file) => file.fidelity ?? []));
  return { files, isNative, fidelity };
}

function contents({ root, descendants }: Lineage): Lineage["descendants"] {
  return [root, ...descendants];
}

/** Relative, with no step up, on every system a client runs on. */
function isInside(path: string): boolean {
  if (path === "" || /[\0\\]/.test(path) || /^(?:\/|[A-Za-z]:)/.test(path)) return false;
  return path.split("/").every((step) => step !== "" && step !== "." && step !== "..");
}

function keptWhole(messages: readonly Message[]): Fidelity {
  const kinds = messages.flatMap((message) =>
    message.role === "system" ? ["system" as const] : partsOf(message).map(({ type }) => type),
  );
  return sum(kinds.map((kind) => ({ [kind]: { kept: 1, translated: 0, dropped: 0 } })));
}

function sum(reports: readonly Fidelity[]): Fidelity {
  const totals: Partial<Record<keyof Fidelity, FidelityCount>> = {};
  for (const report of reports) {
    for (const [kind, count] of Object.entries(report) as [keyof Fidelity, FidelityCount][]) {
      const total = totals[kind] ?? { kept: 0, translated: 0, dropped: 0 };
      totals[kind] = {
        kept: total.kept + count.kept,
        translated: total.translated + count.translated,
        dropped: total.dropped + count.dropped,
      };
    }
  }
  return totals;
}
