import { claudeCodeHomes, fromClaudeCode, toClaudeCode } from "@pond/adapter-claude-code";
import type { Adapter } from "@pond/canonical/adapter";
import { UnknownAdapterError } from "./errors.ts";

/** Every client pond knows: one line each (spec 6.7). */
export const adapters: readonly Adapter[] = [
  {
    origin: "claude-code",
    homes: claudeCodeHomes,
    from: (path) => fromClaudeCode(path),
    to: toClaudeCode,
  },
];

/** The adapter of the client called `name`. @throws {UnknownAdapterError} where there is none. */
export function adapterNamed(name: string): Adapter {
  const adapter = adapters.find(({ origin }) => origin === name);
  if (adapter) return adapter;
  throw new UnknownAdapterError(
    name,
    adapters.map(({ origin }) => origin),
  );
}
