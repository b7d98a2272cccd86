import { type Message, partsOf } from "@pond/canonical";
import type { Fidelity, FidelityCount } from "@pond/canonical/adapter";

type Kind = keyof Fidelity;

const nothing: FidelityCount = { kept: 0, translated: 0, dropped: 0 };

/** The fidelity of a native restore: everything is kept. */
export function allKept(messages: Iterable<Message>): Fidelity {
  return countedAs("kept", messages);
}

/** The fidelity of what is left out: nothing is kept. */
export function allDropped(messages: Iterable<Message>): Fidelity {
  return countedAs("dropped", messages);
}

function countedAs(outcome: keyof FidelityCount, messages: Iterable<Message>): Fidelity {
  const counts = new Map<Kind, number>();
  const count = (kind: Kind): unknown => counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const message of messages) {
    if (message.role === "system") count("system");
    else for (const { type } of partsOf(message)) count(type);
  }
  return Object.fromEntries(
    [...counts].map(([kind, total]) => [kind, { ...nothing, [outcome]: total }]),
  );
}

/** The sum of what the files of a foreign restore keep. */
export function sumOf(reports: Iterable<Fidelity>): Fidelity {
  const totals: Record<string, FidelityCount> = {};
  for (const report of reports) {
    for (const [kind, count] of Object.entries(report)) {
      const total = totals[kind] ?? nothing;
      totals[kind] = {
        kept: total.kept + count.kept,
        translated: total.translated + count.translated,
        dropped: total.dropped + count.dropped,
      };
    }
  }
  return totals;
}
