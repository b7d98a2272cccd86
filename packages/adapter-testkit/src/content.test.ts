import { describe, expect, it } from "vitest";
import { contentOf, lineagesOf } from "./content.ts";
import { fromDemo } from "./demo/from-demo.ts";
import { readAll } from "./read.ts";
import { sampleLineage } from "./sample.ts";

const input = `${import.meta.dirname}/../fixtures/odd/input`;

describe("contentOf", () => {
  it("builds a session from its events and leaves faults out", async () => {
    const events = await readAll(fromDemo(input), "odd.jsonl");

    const { session, messages } = contentOf(events);

    expect(session.id).toBe("odd");
    expect(messages.map(({ id, role }) => [role, id.length])).toEqual([
      ["user", 2],
      ["system", 32],
      ["system", 34],
      ["system", 32],
      ["system", 32],
      ["user", 2],
    ]);
  });

  it("refuses events out of order (`adapter-integrity-event-ordering`)", async () => {
    const events = await readAll(fromDemo(input), "odd.jsonl");

    expect(() => contentOf(events.toReversed())).toThrow("comes before");
  });

  it("refuses events without a session", () => {
    expect(() => contentOf([])).toThrow(TypeError);
  });
});

it("finds the sessions below each root, parents first (`adapter-lineage-complete-restore`)", () => {
  const { root, descendants } = sampleLineage(["a", "b", "c"]);
  const other = sampleLineage(["d", "e", "f"]);
  const orphan = other.descendants.slice(1);

  const lineages = lineagesOf([...descendants.toReversed(), root, ...orphan]);

  const ids = lineages.map(({ root, descendants }) =>
    [root, ...descendants].map(({ session }) => session.id),
  );
  expect(ids).toEqual([["a", "b", "c"], ["f"]]);
});
