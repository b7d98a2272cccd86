import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PondError } from "@pond/canonical";
import { expect, test } from "vitest";
import { adapterNamed, adapters, meaningsOf } from "./adapters.ts";
import { UnknownAdapterError } from "./errors.ts";

test("finds every adapter of the registry by its name", () => {
  expect(adapters.map(({ origin }) => adapterNamed(origin))).toEqual(adapters);
});

test("names every adapter the same as its reader and its writer", () => {
  const names = adapters.map(({ origin, from, to }) => [
    origin,
    from("/nowhere").origin,
    to.origin,
  ]);

  expect(names).toEqual(adapters.map(({ origin }) => [origin, origin, origin]));
});

test("takes the meaning of records and tool calls from the adapter of the session's client only", () => {
  const bash = { name: "Bash", params: { command: "ls" } };
  const { recordRulesOf, readTool } = meaningsOf();

  expect(adapters.map(({ origin }) => recordRulesOf?.(origin))).toEqual(
    adapters.map(({ recordRules }) => recordRules),
  );
  expect(readTool?.("claude-code", bash)?.kind).toBe("shell");
  expect([recordRulesOf?.("loom"), readTool?.("loom", bash)]).toEqual([undefined, undefined]);
});

test.each([
  ["claude-u1-message-1", "<system-reminder>be kind</system-reminder>\nwhy?"],
  ["codex-1", "<environment_context>\n<cwd>/work</cwd>\n</environment_context>"],
])(
  "applies the original client's rules of who spoke to a session that omp imported: %s",
  async (id, text) => {
    const folder = mkdtempSync(join(tmpdir(), "pond-adapters-"));
    const timestamp = "2026-11-23T02:43:49.047Z";
    const file = join(folder, "2026-11-23T02-43-49-047Z_s.jsonl");
    const entry = { type: "message", id, parentId: null, timestamp };
    const records = [
      { type: "session", version: 3, id: "s", timestamp, cwd: "/work" },
      { ...entry, message: { role: "user", content: text } },
    ];
    writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    const reader = adapterNamed("omp").from(file);

    const spoken: string[] = [];
    for await (const source of reader.sessions()) {
      if (source.kind === "fault") throw source.fault;
      for await (const event of reader.read(source.key)) {
        if (event.kind === "part") spoken.push(event.part.provenance);
      }
    }

    expect(spoken[0]).toBe("injected");
    expect(spoken.slice(1)).toEqual(text.endsWith("why?") ? ["conversational"] : []);
    rmSync(folder, { recursive: true });
  },
);

test("suggests the nearest name and lists the known ones if an adapter name is unknown", () => {
  const find = () => adapterNamed("claud-code");

  expect(find).toThrow(UnknownAdapterError);
  expect(find).toThrow(
    'no adapter is called "claud-code". Did you mean "claude-code"? Known: claude-code',
  );
});

test.each([
  ["claude", "claude-code"],
  ["ClaudeCode", "claude-code"],
  ["claude_code", "claude-code"],
  ["cluade-code", "claude-code"],
  ["something-else", undefined],
  ["", undefined],
  ["--", undefined],
])("given %j as an unknown adapter name, suggests %j", (typed, nearest) => {
  const error = new UnknownAdapterError(typed, ["codex", "claude-code", "pi"]);

  expect(PondError.is(error)).toBe(true);
  expect(error.details.nearest).toBe(nearest);
});
