import { expect, it } from "vitest";
import type { SessionStore } from "../session-store.ts";
import { type DemoMessage, ingestDemo, recordingWrites, said, withStore } from "../testing.ts";

const [a, b] = [said("a"), said("b")];
const long = said("long", "word ".repeat(500));

async function windows(sessions: SessionStore) {
  const rows = await sessions.store.table("windows").rows({ columns: ["id", "message_ids"] });
  return Object.fromEntries(rows.map((row) => [row["id"], row["message_ids"]]));
}

const ingest = (sessions: SessionStore, messages: readonly (DemoMessage | "fault")[]) =>
  ingestDemo(sessions, [{ id: "s", messages }]);

it("covers a session that grew without writing its finished windows again", () =>
  withStore(async (sessions) => {
    await ingest(sessions, [a, long, b]);
    expect(await windows(sessions)).toEqual({ a: '["a","long"]', b: '["b"]' });

    const written: string[] = [];
    await ingest(recordingWrites(sessions, "windows", written), [a, long, b, said("c")]);
    expect(await windows(sessions)).toEqual({ a: '["a","long"]', b: '["b","c"]' });
    expect(new Set(written)).toEqual(new Set(["b"]));
  }));

it("holds the newest text of a revised message, and no text of one that disappeared", () =>
  withStore(async (sessions) => {
    await ingest(sessions, [a, b]);
    await ingest(sessions, [said("b", "Anew.")]);

    const rows = await sessions.store.table("windows").rows({ columns: ["id", "text"] });
    expect(new Map(rows.map(({ id, text }) => [id, text]))).toEqual(
      new Map([
        ["a", null],
        ["b", "Anew."],
      ]),
    );
  }));

it("keeps windows of the former titles of a session", () =>
  withStore(async (sessions) => {
    const called = (title: string): DemoMessage => ({
      ...{ id: "row", role: "carrier", options: { type: "session", title } },
    });
    for (const title of ["walnut", "almond", "walnut"]) {
      await ingest(sessions, [called(title), a]);
    }

    const rows = await sessions.store.table("windows").rows({ columns: ["text"] });
    expect(rows.map(({ text }) => text).sort()).toEqual(["This is a.", "almon", "walnu"]);
    expect(Object.values(await windows(sessions)).sort()).toEqual(['["a"]', "[]", "[]"]);
  }));

it("covers a stored message that the source cannot give this time", () =>
  withStore(async (sessions) => {
    await ingest(sessions, [a, b, said("c")]);
    await ingest(sessions, [a, "fault", said("c"), said("d")]);

    expect(await windows(sessions)).toEqual({ a: '["a","b","c","d"]' });
  }));

it("leaves injected text, tool output and carriers out", () =>
  withStore(async (sessions) => {
    await ingest(sessions, [
      { id: "i", text: "<reminder>", isInjected: true },
      { id: "t", role: "tool", text: "output" },
      { id: "r", role: "carrier" },
      a,
    ]);

    expect(await windows(sessions)).toEqual({ a: '["a"]' });
  }));
