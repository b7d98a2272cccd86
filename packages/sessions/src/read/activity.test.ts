import { expect, it } from "vitest";
import { ingestDemo, said, withStore } from "../testing.ts";
import { lastActive } from "./activity.ts";

const day = 86_400;

it("reports when each of the given sessions was last active", () =>
  withStore(async (sessions) => {
    await ingestDemo(sessions, [
      { id: "a", messages: [said("a1"), { ...said("a2"), seconds: 3 * day }] },
      { id: "begun", seconds: 2 * day, messages: [] },
      { id: "below a", parent: "a", messages: [{ ...said("c1"), seconds: 4 * day }] },
    ]);
    const started = BigInt(Date.parse("2026-01-01T00:00:00Z")) * 1000n;
    const daysOf = async (...ids: readonly string[]) => {
      const active = await lastActive(sessions, ids);
      return new Map([...active].map(([id, at]) => [id, Number(at - started) / (day * 1e6)]));
    };

    expect(await daysOf("a", "begun", "not stored")).toEqual(
      new Map([
        ["a", 3],
        ["begun", 2],
      ]),
    );
    expect(await daysOf()).toEqual(new Map());
    // Of more than a few the whole table is read.
    const many = Array.from({ length: 600 }, (_, at) => `not stored ${at}`);
    expect(await daysOf(...many, "below a")).toEqual(new Map([["below a", 4]]));
  }));
