import { type JsonObject, partsOf, type ReadEvent, sessionFromWire } from "@pond/canonical";
import { describe, expect, it } from "vitest";
import { loadLineage } from "../restore/lineage.ts";
import { allRows, demoEvents, ingestDemo, said, shown, streamOf, withStore } from "../testing.ts";
import { createIngest } from "./ingest.ts";
import { emptyOutcome } from "./outcome.ts";
import { digestOfIds, onlyPlace } from "./source-place.ts";

const talk = {
  id: "s1",
  messages: [
    said("a", "How do ponds freeze?"),
    { id: "b", role: "assistant", text: "From the top.", more: ["Ice floats."] },
    { id: "c", role: "carrier", options: { kind: "mode", big: 9007199254740991 } },
    { id: "d", role: "tool", text: "4 °C" },
  ],
} as const;

const sessionOf = (options: JsonObject): readonly ReadEvent[] => {
  const created_at = "2026-01-01T00:00:00Z";
  const fields = { id: "own", source_agent: "demo", project: "/work", created_at };
  return [{ kind: "session", session: sessionFromWire({ ...fields, options }) }];
};

describe("ingest", () => {
  it("stores a session and reports what it added", () =>
    withStore(async (sessions) => {
      const [outcome] = await ingestDemo(sessions, [talk]);

      const added = outcome?.added_at.messages;
      expect(added).toEqual(expect.any(BigInt));
      expect(outcome).toEqual({
        ...emptyOutcome(),
        session_id: "s1",
        status: "new",
        messages_added: 4,
        parts_added: 4,
        added_at: { sessions: added, messages: added, parts: added },
        records_stored: 4,
        records_carried: 1,
        held: { digest: digestOfIds(["a", "b", "c", "d"]), addedAt: Number(added) },
        agreed_at: Number(added),
      });
      expect(await shown(sessions, "s1")).toEqual([
        "a: How do ponds freeze?",
        "b: From the top.: Ice floats.",
        "c",
        "d: tool_result",
      ]);
    }));

  it("adds nothing the second time (`lance-deterministic-pk`)", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [talk, { id: "s2", messages: [said("a")] }]);
      const before = await allRows(sessions);

      const again = await ingestDemo(sessions, [talk, { id: "s2", messages: [said("a")] }]);

      expect(again.map(({ status, messages_added }) => [status, messages_added])).toEqual([
        ["unchanged", 0],
        ["unchanged", 0],
      ]);
      expect(await allRows(sessions)).toEqual(before);
    }));

  it("gives back what it stored, to the byte and the microsecond (`model-lossless-projection`)", () =>
    withStore(async (sessions) => {
      const odd = {
        id: "odd",
        messages: [
          said("nul", "a\0b"),
          said("half", "lone \ud800 half"),
          { id: "bytes", text: "see", bytes: new Uint8Array([0, 255, 128]) },
          { id: "empty", text: "none", bytes: new Uint8Array() },
          { id: "bag", text: "bag", options: { ["__proto__"]: 1, exact: JSON.rawJSON("1e400") } },
        ],
      };
      const events = demoEvents(odd);

      await ingestDemo(sessions, [odd]);

      const { root } = await loadLineage(sessions, "odd");
      const headers = events.flatMap((event) => (event.kind === "message" ? [event.message] : []));
      const parts = events.flatMap((event) => (event.kind === "part" ? [event.part] : []));
      expect(
        root.messages.map((message) => {
          const { content: _, ...header } = message;
          return header;
        }),
      ).toEqual(headers);
      const stored = root.messages.flatMap(partsOf);
      expect(stored).toEqual(
        parts.map((part) =>
          part.type === "file" && part.data.type === "bytes"
            ? { ...part, data: { type: "bytes", bytes: new Uint8Array(part.data.bytes) } }
            : part,
        ),
      );
    }));

  it.each([
    [
      { host: "mine", since: 1 },
      { host: "mine", since: 1 },
    ],
    [{ host: null }, { host: null }],
    [{ since: 1 }, { host: "alder", since: 1 }],
  ])("keeps the host that a session names itself, or else adds its own: %j", (pond, stored) =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [sessionOf({ pond })], { host: "alder" });

      const { root } = await loadLineage(sessions, "own");
      expect(root.session.options).toEqual({ pond: stored });
    }),
  );

  it.each([["keepme"], [[1, 2]], [null]])("refuses a session whose `options.pond` is %j", (pond) =>
    withStore(async (sessions) => {
      const outcomes = await ingestDemo(sessions, [sessionOf({ pond }), talk]);

      expect(outcomes).toMatchObject([
        { status: "failed", error: { details: { path: "session.options.pond" } } },
        { status: "new" },
      ]);
      expect(await sessions.store.table("sessions").count()).toBe(1);
    }),
  );

  it("adds only the host to the `options.pond` of a session", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [talk], { host: "alder" });

      const { root } = await loadLineage(sessions, "s1");
      expect(root.session.options).toEqual({ pond: { host: "alder" } });
    }));

  it("adds nothing to the options of a session where no host is given", () =>
    withStore(async (sessions) => {
      const ingest = createIngest(sessions, { now: () => new Date(0) });
      const hooks = { isUnchanged: async () => true, onCommitted: () => undefined };
      await ingest.session(streamOf(demoEvents(talk)), hooks);
      await ingest.finish();

      const { root } = await loadLineage(sessions, "s1");
      expect(root.session.options).toEqual({});
    }));

  it("adds only the new messages of a session that grew", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [{ ...talk, messages: talk.messages.slice(0, 2) }]);

      const [outcome] = await ingestDemo(sessions, [talk]);

      expect(outcome).toMatchObject({ status: "grown", messages_added: 2, revisions: 0 });
      expect(await shown(sessions, "s1")).toHaveLength(4);
    }));

  it("keeps the labels a session was first stored with (spec 7.6)", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [{ ...talk, messages: talk.messages.slice(0, 1) }]);

      const [outcome] = await ingestDemo(sessions, [{ ...talk, project: "/elsewhere" }]);

      expect(outcome).toMatchObject({ rejected: true, status: "grown", messages_added: 3 });
      const rows = await sessions.store
        .table("messages")
        .rows({ columns: ["project", "source_agent"] });
      expect(new Set(rows.map(({ project }) => project))).toEqual(new Set(["/work/demo"]));
    }));

  it("stores a session that comes from two sources at once as one", () =>
    withStore(async (sessions) => {
      const longer = { ...talk, messages: [...talk.messages, said("e")] };

      const outcomes = await ingestDemo(sessions, [talk, longer, talk], { addsOnly: true });

      expect(outcomes.map(({ status, messages_added }) => [status, messages_added])).toEqual([
        ["new", 4],
        ["grown", 1],
        ["unchanged", 0],
      ]);
      expect(await shown(sessions, "s1")).toHaveLength(5);
    }));

  it("stores a huge session in many commits as it would in one", () =>
    withStore(async (sessions) => {
      const huge = {
        id: "huge",
        messages: Array.from({ length: 300 }, (_, at) => said(`m${at}`, `${at} `.repeat(40))),
      };

      const [outcome] = await ingestDemo(sessions, [huge, talk], { maxBatchBytes: 15_000 });

      expect(outcome).toMatchObject({ status: "new", messages_added: 300 });
      const cut = await allRows(sessions);
      await withStore(async (other) => {
        await ingestDemo(other, [huge, talk]);
        expect(await allRows(other)).toEqual(cut);
      });
    }));

  it("shows nothing of a session before all of it is stored", () =>
    withStore(async (sessions) => {
      const huge = {
        id: "huge",
        messages: Array.from({ length: 40 }, (_, at) => said(`m${at}`, "x".repeat(100))),
      };
      const seen: string[] = [];
      const options = { host: "h", now: () => new Date(0), maxBatchBytes: 2_000 };
      const ingest = createIngest(sessions, options);

      await ingest.session(watched(demoEvents(huge)), {
        placeOf: () => onlyPlace,
        isUnchanged: async () => true,
        onCommitted: () => void seen.push("acknowledged"),
      });
      await ingest.finish();

      expect(await sessions.store.table("sessions").count()).toBe(1);
      expect(seen).toEqual(["none", "acknowledged"]);

      async function* watched(events: readonly ReadEvent[]): AsyncGenerator<ReadEvent> {
        yield* events.slice(0, -2);
        const [messages, known] = await Promise.all([
          sessions.store.table("messages").count(),
          sessions.store.table("sessions").count(),
        ]);
        if (messages > 0 && known === 0) seen.push("none");
        yield* events.slice(-2);
      }
    }));

  it("leaves out a whole message if one of its parts breaks the model, and keeps the others", () =>
    withStore(async (sessions) => {
      const events = demoEvents(talk).map((event): ReadEvent => {
        if (event.kind !== "part" || event.part.id !== "1") return event;
        return { kind: "part", part: { ...event.part, session_id: "other" as never } };
      });

      const [outcome] = await ingestDemo(sessions, [events]);

      expect(outcome).toMatchObject({
        status: "failed",
        messages_added: 3,
        error: { code: "validation_failed", details: { path: "part.session_id" } },
      });
      expect(await shown(sessions, "s1")).toEqual([
        "a: How do ponds freeze?",
        "c",
        "d: tool_result",
      ]);
    }));

  it("keeps the messages before and after a second session in the events of one session", () =>
    withStore(async (sessions) => {
      const [first, ...said] = demoEvents(talk);
      const [other] = demoEvents({ ...talk, id: "s2" });
      const events = [first, ...said.slice(0, 2), other, ...said.slice(2)];

      const [outcome] = await ingestDemo(sessions, [events.filter((each) => each !== undefined)]);

      expect(outcome).toMatchObject({ status: "failed", messages_added: 4 });
      expect(await shown(sessions, "s1")).toHaveLength(4);
    }));

  it("stores nothing of a session without a project (`model-project-non-empty`)", () =>
    withStore(async (sessions) => {
      const [outcome] = await ingestDemo(sessions, [{ ...talk, project: "" }]);

      expect(outcome).toMatchObject({ status: "failed", session_id: undefined });
      expect(Object.values(await allRows(sessions)).flat()).toEqual([]);
    }));

  it("counts faults and pending records, and acknowledges a source without a session", () =>
    withStore(async (sessions) => {
      const [whole, none] = await ingestDemo(sessions, [
        { id: "s1", messages: ["fault", said("a"), "fault", "pending"] },
        [],
      ]);

      expect(whole).toMatchObject({ status: "new", faults: 2, pending: 1, messages_added: 1 });
      expect(none).toEqual(emptyOutcome());
    }));

  it("throws the error of the events, and stores the session when it is read again", () =>
    withStore(async (sessions) => {
      const ingest = createIngest(sessions, { host: "h", now: () => new Date(0) });
      const outcomes: string[] = [];
      const hooks = {
        isUnchanged: async () => true,
        onCommitted: ({ status }: { status: string }) => void outcomes.push(status),
      };
      const broken = async function* (): AsyncGenerator<ReadEvent> {
        yield* demoEvents(talk).slice(0, 4);
        throw new Error("gone");
      };

      await expect(ingest.session(broken(), hooks)).rejects.toThrow("gone");
      await ingest.session(streamOf(demoEvents(talk)), hooks);
      await ingest.finish();

      expect(outcomes).toEqual(["new"]);
      expect(await shown(sessions, "s1")).toHaveLength(4);
    }));
});
