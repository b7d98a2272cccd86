import { fail } from "node:assert/strict";
import { messageToWire, partsOf, sessionToWire } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import { type AdapterCase, type CompleteKit, fixturesOf, type Leaf } from "../kit.ts";
import { leafKey, leavesOf } from "../leaves.ts";
import { readFiles } from "../read-files.ts";
import { numbersOf } from "../source-times.ts";

/** Every value of a source is somewhere in what canonical holds. */
export function projectionCases(kit: CompleteKit): readonly AdapterCase[] {
  return fixturesOf(kit).map((fixture) => ({
    rule: "model-lossless-projection",
    name: `every leaf of ${fixture.name} is found in canonical`,
    run: async () => {
      const files = await fixture.load();
      const { contents, isRefused } = await readFiles(kit, files);

      const isKept = keptLeaves(contents);

      for (const [path, records] of kit.records(files)) {
        const whole = Buffer.from(files.get(path) ?? []).toString("base64");
        if (isRefused(path) || isKept({ path, value: whole })) continue;
        for (const [index, record] of records.entries()) {
          for (const leaf of leavesOf(record)) {
            if (isKept(leaf) || kit.isImplied(leaf)) continue;
            fail(`${path}, record ${index + 1}: ${leaf.path} is not in canonical`);
          }
        }
      }
    },
  }));
}

function keptLeaves(contents: readonly SessionContent[]): (leaf: Leaf) => boolean {
  const known = new Set<string>();
  const texts: string[] = [];
  for (const { session, messages } of contents) {
    for (const { value } of leavesOf(sessionToWire(session))) known.add(leafKey(value));
    for (const time of [session.created_at, ...messages.map(({ timestamp }) => timestamp)]) {
      for (const number of numbersOf(time)) known.add(leafKey(number));
    }
    for (const message of messages) {
      for (const { value } of leavesOf(messageToWire(message))) known.add(leafKey(value));
      // The parts of a text that was split by provenance are whole again together (spec 6.5).
      texts.push(
        partsOf(message)
          .map((part) => ("text" in part ? part.text : ""))
          .join(""),
      );
    }
  }
  return ({ value }) =>
    known.has(leafKey(value)) ||
    (typeof value === "string" && texts.some((text) => text.includes(value)));
}
