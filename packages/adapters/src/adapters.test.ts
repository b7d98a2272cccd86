import { PondError } from "@pond/canonical";
import { expect, test } from "vitest";
import { adapterNamed, adapters, meaningsOf } from "./adapters.ts";
import { UnknownAdapterError } from "./errors.ts";

test("finds every adapter of the registry by its name", () => {
  expect(adapters.map(({ origin }) => adapterNamed(origin))).toEqual(adapters);
});

test("names an adapter as its reader and its writer do", () => {
  const names = adapters.map(({ origin, from, to }) => [
    origin,
    from("/nowhere").origin,
    to.origin,
  ]);

  expect(names).toEqual(adapters.map(({ origin }) => [origin, origin, origin]));
});

test("asks the client of a session, and no other, what its records and calls mean", () => {
  const bash = { name: "Bash", params: { command: "ls" } };
  const { recordsOf, readTool } = meaningsOf();

  expect(adapters.map(({ origin }) => recordsOf?.(origin))).toEqual(
    adapters.map(({ records }) => records),
  );
  expect(readTool?.("claude-code", bash)?.kind).toBe("shell");
  expect([recordsOf?.("loom"), readTool?.("loom", bash)]).toEqual([undefined, undefined]);
});

test("lists what there is where a name is unknown", () => {
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
])("takes %j for %j", (typed, nearest) => {
  const error = new UnknownAdapterError(typed, ["codex", "claude-code", "pi"]);

  expect(PondError.is(error)).toBe(true);
  expect(error.details.nearest).toBe(nearest);
});
