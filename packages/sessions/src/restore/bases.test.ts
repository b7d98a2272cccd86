import { partsOf } from "@pond/canonical";
import type {
  Lineage,
  Meanings,
  RestoredFile,
  SessionContent,
  Writer,
} from "@pond/canonical/adapter";
import { describe, expect, it } from "vitest";
import { type DemoSession, ingestDemo, said, withStore } from "../testing.ts";
import { type Restored, restore } from "./restore.ts";

const textsOf = ({ messages }: SessionContent): string[] =>
  messages.flatMap(partsOf).flatMap((part) => (part.type === "text" ? [part.text] : []));

// Each says what it was written with: a client looks at all that goes on from a file.
const written = ({ root, descendants }: Lineage): RestoredFile[] =>
  [root, ...descendants].map((content) => ({
    session: content.session.id,
    path: content.session.id,
    content: [textsOf(content).join(" "), ` of ${descendants.length + 1}`],
  }));

const writer = (origin: string): Writer => ({
  origin,
  writeNative: written,
  writeForeign: written,
});

/** In this client a session named `x+` goes on from the first message of `x`. */
const meanings: Meanings = {
  recordRulesOf: (origin) =>
    origin === "demo"
      ? {
          inherited: ({ session: { id } }, known) => {
            if (!id.endsWith("+")) return { pieces: [] };
            const base = known.find(({ session }) => session.id === id.slice(0, -1));
            if (base === undefined) return { pieces: [], missing: ["none", id.slice(0, -1)] };
            const piece = { session: base.session, messages: base.messages.slice(0, 1) };
            return { pieces: [piece] };
          },
        }
      : undefined,
};

const demo = (id: string, parent?: string): DemoSession => ({
  id,
  messages: [said("1", `${id}1`), said("2", `${id}2`)],
  ...(parent !== undefined && { parent }),
});

const filesOf = ({ files }: Restored): string[] =>
  files.map(({ path, content }) => `${path}: ${[...content].join("")}`);

describe("a session that begins in the middle of another", () => {
  const demos = [demo("s"), demo("s+", "s"), demo("agent", "s+"), demo("beside", "s")];

  it("is restored with that other session, which is written with all that continues from it", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, demos);

      const restored = await restore(sessions, "s+", writer("demo"), { meanings });

      expect(filesOf(restored)).toEqual([
        "s+: s+1 s+2 of 4",
        "agent: agent1 agent2 of 4",
        "s: s1 s2 of 4",
      ]);
      expect([...restored.inheritedFrom]).toEqual([["s+", ["s"]]]);
      expect(restored.fidelity["text"]).toEqual({ kept: 6, translated: 0, dropped: 0 });
      const whole = await restore(sessions, "s", writer("demo"), { meanings });
      expect(filesOf(whole)).toContain("s: s1 s2 of 4");
      expect(filesOf(whole)).toHaveLength(4);
    }));

  it("is restored without what another client continued from that other session", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [...demos, { ...demo("foreign", "s"), agent: "other" }]);

      const restored = await restore(sessions, "s+", writer("demo"), { meanings });

      expect(filesOf(restored)).toContain("s: s1 s2 of 4");
    }));

  it("counts for a limit together with that other session", () =>
    withStore(async (sessions) => {
      const long = { ...demo("s"), messages: [said("1", "x".repeat(20_000))] };
      await ingestDemo(sessions, [long, demo("s+", "s")]);
      const within = restore(sessions, "s+", writer("demo"), { meanings, maxBytes: 20_000 });

      await expect(within).rejects.toThrow("session s+ takes more than 20000 bytes to restore");
    }));

  it("is translated with the other session's messages that come before it", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [...demos, demo("s++", "s+")]);
      const given = new Map<string, SessionContent>();
      const other: Writer = {
        ...writer("other"),
        writeForeign: (lineage) => {
          const contents = [lineage.root, ...lineage.descendants];
          for (const content of contents) given.set(content.session.id, content);
          return written(lineage);
        },
      };

      const restored = await restore(sessions, "s", other, { meanings });

      expect(filesOf(restored)).toContain("s+: s1 s+1 s+2 of 5");
      expect(filesOf(restored)).toContain("s: s1 s2 of 5");
      expect([restored.inheritedFrom.size, restored.incomplete]).toEqual([0, []]);
      const messages = given.get("s+")?.messages ?? [];
      // Ids of messages are unique within one session only.
      expect(messages.map(({ id }) => id)).toEqual(["s/1", "1", "2"]);
      const places = messages.flatMap(partsOf).map((part) => [part.session_id, part.message_id]);
      expect(places).toEqual([
        ["s+", "s/1"],
        ["s+", "1"],
        ["s+", "2"],
      ]);
    }));

  it("is asked at most twice for what it inherits in a chain of such sessions", () =>
    withStore(async (sessions) => {
      const ids = Array.from({ length: 6 }, (_, at) => `s${"+".repeat(at)}`);
      await ingestDemo(
        sessions,
        ids.map((id, at) => demo(id, ids[at - 1])),
      );
      const asked: string[] = [];
      const chained: Meanings = {
        recordRulesOf: () => ({
          inherited: ({ session }, known) => {
            asked.push(session.id);
            const pieces: SessionContent[] = [];
            for (let { id } = session as { id: string }; id.endsWith("+"); ) {
              id = id.slice(0, -1);
              const base = known.find((each) => each.session.id === id);
              if (base === undefined) return { pieces, missing: [id] };
              pieces.unshift(base);
            }
            return { pieces };
          },
        }),
      };

      const restored = await restore(sessions, "s", writer("demo"), { meanings: chained });

      expect([...restored.inheritedFrom].map(([, ids]) => ids.length)).toEqual([1, 2, 3, 4, 5]);
      expect(asked).toHaveLength(11);
    }));

  it.each(["demo", "other"])(
    "is reported as incomplete when the other session is not stored, for client %s",
    (origin) =>
      withStore(async (sessions) => {
        await ingestDemo(sessions, [demo("s+", "s")]);
        const restored = await restore(sessions, "s+", writer(origin), { meanings });

        expect([filesOf(restored), restored.incomplete]).toEqual([["s+: s+1 s+2 of 1"], ["s+"]]);
      }),
  );

  it.each<[string, string[]]>([
    ["demo", ["s+: s+1 s+2 of 1"]],
    ["other", ["s+: s1 s+1 s+2 of 1"]],
  ])(
    "is restored alone if its client opens it so, but not for another client: %s",
    (origin, files) =>
      withStore(async (sessions) => {
        await ingestDemo(sessions, [demo("s"), demo("s+", "s")]);
        const recordRulesOf = (client: string) => ({
          ...meanings.recordRulesOf?.(client),
          opensAlone: true,
        });

        const restored = await restore(sessions, "s+", writer(origin), {
          meanings: { recordRulesOf },
        });

        expect([filesOf(restored), restored.incomplete]).toEqual([files, []]);
      }),
  );

  it("takes nothing from another client's session with the same id", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [{ ...demo("s"), agent: "other" }, demo("s+", "s")]);

      const { incomplete, files } = await restore(sessions, "s+", writer("demo"), { meanings });

      expect([incomplete, files.length]).toEqual([["s+"], 1]);
    }));
});
