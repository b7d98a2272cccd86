// Every transport uses the same handlers (spec 7.1), so the same question gets the same answer over
// HTTP, over MCP and from the command line.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { IngestEvent } from "@pond/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHome, type Home } from "./pond.ts";
import { type Fields, type Operation, openTransports, type Transports } from "./transports.ts";

let home: Home;
let transports: Transports;
afterAll(async () => {
  await transports.close();
  home.remove();
});
beforeAll(async () => {
  home = createHome();
  transports = await openTransports(home);
});

const time = (minutes: number): string =>
  new Date(Date.UTC(2026, 10, 20, 10, minutes)).toISOString();

const session = (id: string, more: object = {}): IngestEvent => ({
  kind: "session",
  session: {
    ...{ id, source_agent: "claude-code", created_at: time(0), project: "/work/demo" },
    ...{ options: { branch: "main" }, ...more },
  },
});

/** A message and its parts: a text, and for a model also a tool call. */
function said(session_id: string, at: number, text: string): IngestEvent[] {
  const role = at % 2 === 0 ? "user" : "assistant";
  const id = `${session_id}-${at}`;
  const part = { session_id, message_id: id, provenance: "conversational", options: {} } as const;
  const call = { type: "tool_call", call_id: `c-${at}`, name: "Bash" } as const;
  return [
    {
      kind: "message",
      message: { id, session_id, role, timestamp: time(at), options: { position: at } },
    },
    { kind: "part", part: { ...part, id: `${id}-0`, type: "text", text } },
    ...(role === "user"
      ? []
      : [
          {
            kind: "part",
            part: {
              ...{ ...part, ...call, id: `${id}-1` },
              ...{ params: { command: `ls ${at}` }, provider_executed: false },
            },
          } as const,
        ]),
  ];
}

const talk = (id: string, texts: readonly string[], more: object = {}): IngestEvent[] => [
  session(id, more),
  ...texts.flatMap((text, at) => said(id, at, text)),
];

/** A message with more parts than a page holds. */
function saidAtLength(session_id: string, texts: readonly string[]): IngestEvent[] {
  const [message_id, role] = [`${session_id}-0`, "user"] as const;
  const part = { session_id, message_id, provenance: "conversational", options: {} } as const;
  return [
    {
      kind: "message",
      message: { id: message_id, session_id, role, timestamp: time(0), options: {} },
    },
    ...texts.map((text, at): IngestEvent => {
      return { kind: "part", part: { ...part, id: `${message_id}-${at}`, type: "text", text } };
    }),
  ];
}

const events: readonly IngestEvent[] = [
  ...talk("chat", [
    "The lock file is stale. Why?",
    "A process that was killed left `build.lock` behind; 索引 stays locked.",
    "Remove it, then.",
    `Removed. ${"The build goes on. ".repeat(20)}`,
  ]),
  ...talk("helper", ["Look for every lock file below src/", "There are three."], {
    ...{ parent_session_id: "chat", parent_message_id: "chat-1" },
  }),
  ...talk("other", ["bread with a lock", "no"], { source_agent: "codex", project: "/work/bread" }),
  ...talk(
    "long",
    Array.from({ length: 60 }, (_, at) => `page ${at}: ${"all work and no play ".repeat(120)}`),
  ),
  session("parts"),
  ...saidAtLength(
    "parts",
    Array.from({ length: 7 }, (_, at) => `part ${at}: ${"and no fun ".repeat(2_000)}`),
  ),
];

test("every transport says that there is no store when nothing is stored", async () => {
  const fields = { query: "lock" };
  const expected = { code: "not_found", details: { kind: "store_not_found" } };

  expect(await transports.http("search", fields)).toMatchObject(expected);
  expect(await transports.mcp("search", fields)).toMatchObject(expected);
  expect(await transports.mcpOverHttp("search", fields)).toMatchObject(expected);
  expect(await transports.commandLine("search", fields)).toMatchObject(expected);
});

describe("with a few sessions stored", () => {
  beforeAll(async () => {
    const { accepted, rejected } = await transports.client.ingestAll(events);
    expect({ accepted, rejected }).toEqual({ accepted: events.length, rejected: [] });
    // The server does this within a second, between two of the compared answers.
    await home.pondHere("sync", "--only", "update-indexes");
  });

  test.each<[Operation, Fields]>([
    ["search", { query: "lock file" }],
    ["search", { query: "lock", limit: 1 }],
    ["search", { query: '"build.lock" -bread' }],
    ["search", { query: "索引" }],
    ["search", { query: "+removed build", min_score: 0.5 }],
    ["search", { query: "lock", project: "/work/bread" }],
    ["search", { query: "lock", session: "helper" }],
    ["search", { query: "lock", agent: "codex" }],
    ["search", { query: "lock", role: "assistant" }],
    ["search", { query: "lock", since: time(1), until: time(2) }],
    ["search", { query: "work play", session: "long", limit: 1 }],
    ["search", { query: "nowhere to be found" }],
    ["list", {}],
    ["list", { project: "/work/bread" }],
    ["list", { agent: "codex", since: time(0) }],
    ["list", { until: time(1) }],
    ["get", { session_id: "chat" }],
    ["get", { session_id: "chat", response_mode: "complete" }],
    ["get", { session_id: "chat", response_mode: "verbatim" }],
    ["get", { session_id: "chat", after_id: "chat-1" }],
    ["get", { session_id: "chat", after_id: "chat-3" }],
    ["get", { session_id: "helper" }],
    ["get", { session_id: "chat", message_id: "chat-1" }],
    ["get", { session_id: "chat", message_id: "chat-1", context_depth: 0 }],
    ["get", { session_id: "chat", message_id: "chat-0", context_depth: 1 }],
  ])("every transport gives the same answer: %s %j", async (operation, fields) => {
    const answer = await transports.http(operation, fields);

    expect(answer).not.toHaveProperty("code");
    expect(await transports.mcp(operation, fields)).toEqual(answer);
    expect(await transports.mcpOverHttp(operation, fields)).toEqual(answer);
    expect(await transports.commandLine(operation, fields)).toEqual(answer);
  });

  test("every transport gives the same pages of a search", async () => {
    const pages = (["http", "mcp", "commandLine"] as const).map(async (transport) => {
      const found: unknown[] = [];
      for (let after: unknown = undefined; ; ) {
        const fields = { query: "lock", limit: 1, ...(typeof after === "string" && { after }) };
        const { sessions, next } = await transports[transport]("search", fields);
        found.push(sessions);
        if (next === undefined) return found;
        after = next;
      }
    });

    const [http, mcp, commandLine] = await Promise.all(pages);

    expect(http?.length).toBeGreaterThan(1);
    expect(mcp).toEqual(http);
    expect(commandLine).toEqual(http);
  });

  test("every transport gives the same messages when it pages through a session", async () => {
    const pages = (["http", "mcp", "commandLine"] as const).map(async (transport) => {
      const shown: unknown[] = [];
      for (let count = 1; ; count++) {
        const last = Object(shown.at(-1)).id;
        const fields = { session_id: "long", ...(last !== undefined && { after_id: last }) };
        const { messages, messages_remaining } = await transports[transport]("get", fields);
        shown.push(...Object(messages));
        if (messages_remaining === 0) return { count, shown };
      }
    });

    const [http, mcp, commandLine] = await Promise.all(pages);

    expect(http?.count).toBeGreaterThan(1);
    expect(http?.shown).toHaveLength(60);
    expect(mcp?.shown).toEqual(http?.shown);
    expect(commandLine).toEqual(http);
  });

  test.each<[Operation, Fields]>([
    ["list", { limit: 2 }],
    ["list", { parent: "chat" }],
    ["list", { project: "/elsewhere/bread" }],
    ["get", { session_id: "chat", from_end: true }],
    ["get", { session_id: "chat", before_id: "chat-2" }],
  ])(
    "every transport but the command line gives the same answer: %s %j",
    async (operation, fields) => {
      const answer = await transports.http(operation, fields);

      expect(answer).not.toHaveProperty("code");
      expect(await transports.mcp(operation, fields)).toEqual(answer);
      expect(await transports.mcpOverHttp(operation, fields)).toEqual(answer);
    },
  );

  test("every transport gives the same parts when it pages through a message", async () => {
    const pages = (["http", "mcp", "mcpOverHttp", "commandLine"] as const).map(
      async (transport) => {
        const shown: unknown[] = [];
        for (let count = 1; ; count++) {
          const last = Object(shown.at(-1)).id;
          const place = { session_id: "parts", message_id: "parts-0" };
          const fields = { ...place, ...(last !== undefined && { after_id: last }) };
          const answer = await transports[transport]("get", fields);
          shown.push(...Object(answer["target"]).content);
          if (answer["target_parts_remaining"] === 0) return { count, shown };
        }
      },
    );

    const [http, mcp, mcpOverHttp, commandLine] = await Promise.all(pages);

    expect(http?.count).toBeGreaterThan(1);
    expect(http?.shown).toHaveLength(7);
    expect(mcp?.shown).toEqual(http?.shown);
    expect(mcpOverHttp).toEqual(mcp);
    expect(commandLine).toEqual(http);
  });

  test.each<[Operation, Fields, string]>([
    ["get", { session_id: "none" }, "not_found"],
    ["get", { session_id: "chat", message_id: "none" }, "not_found"],
    ["get", { session_id: "chat", after_id: "none" }, "not_found"],
    ["get", { session_id: "chat", message_id: "chat-1", after_id: "chat-1" }, "not_found"],
    ["get", { session_id: "chat", response_mode: "whole" }, "validation_failed"],
    ["get", { session_id: "chat", context_depth: 2 }, "validation_failed"],
    ["get", { session_id: "chat", message_id: "chat-1", context_depth: -1 }, "validation_failed"],
    ["get", { session_id: "chat", wrong: 1 }, "validation_failed"],
    ["search", { query: "" }, "validation_failed"],
    ["search", { query: "lock", limit: 0 }, "validation_failed"],
    ["search", { query: "lock", limit: 101 }, "validation_failed"],
    ["search", { query: "lock", since: "soon" }, "validation_failed"],
    ["search", { query: "lock", role: "tool" }, "validation_failed"],
    ["search", { query: "lock", min_score: -1 }, "validation_failed"],
    ["search", { query: "lock", after: "nonsense" }, "validation_failed"],
    ["search", { query: "lock", wrong: 1 }, "validation_failed"],
  ])("every transport refuses with the same code: %s %j", async (operation, fields, code) => {
    const refusal = await transports.http(operation, fields);

    expect(refusal).toMatchObject({ code });
    expect(await transports.mcp(operation, fields)).toEqual(refusal);
    expect(await transports.mcpOverHttp(operation, fields)).toEqual(refusal);
    // The command line names its own flags instead.
    expect(await transports.commandLine(operation, fields)).toMatchObject({ code });
  });

  test("the client and the command line restore the same files of a session", async () => {
    const out = join(home.folder, "restored");
    const { files } = await transports.client.restore({ session_id: "chat", to: "pi" });
    await home.pond("restore", "chat", "--to", "pi", "--out", out, "--json");

    const written = globSync("**/*.*", { cwd: out }).sort();
    expect(written.map((path) => [path, readFileSync(join(out, path), "utf8")])).toEqual(
      files
        .map(({ path, content }) => [path, content.type === "text" ? content.text : undefined])
        .sort(),
    );
    expect(written).toHaveLength(2);
  });

  test("every transport reports the same counts", async () => {
    const status = await transports.http("status", {});
    const { tables, ...bounded } = status;
    const embedding = { enabled: false, reason: "no embedding model is configured" };

    expect(status).toMatchObject({ sessions: 5, messages: 69, embedding });
    const { machine, ...wire } = await transports.commandLine("status", {});
    expect(wire).toEqual(status);
    const counted = { ...bounded, more_agents: 0, more_projects: 0 };
    expect(await transports.mcp("status", {})).toEqual(counted);
    expect(await transports.mcpOverHttp("status", {})).toEqual(counted);
  });
});
