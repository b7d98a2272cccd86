import {
  claudeCodeHomes,
  claudeCodeProblems,
  claudeCodeRecords,
  claudeCodeResume,
  claudeCodeResumesAbove,
  claudeCodeTools,
  cutClaudeCodePrompt,
  fromClaudeCode,
  toClaudeCode,
} from "@pond/adapter-claude-code";
import {
  codexHomes,
  codexMovedTo,
  codexProblems,
  codexRecords,
  codexResume,
  codexResumesAbove,
  codexTools,
  cutCodexPrompt,
  fromCodex,
  toCodex,
} from "@pond/adapter-codex";
import {
  fromOpencode,
  opencodeHeld,
  opencodeHomes,
  opencodeProblems,
  opencodeRecords,
  opencodeResume,
  opencodeTools,
  toOpencode,
} from "@pond/adapter-opencode";
import {
  fromPhiCore,
  phiCoreHomes,
  phiCoreProblems,
  savePhiCoreSession,
  toPhiCore,
} from "@pond/adapter-phi-core";
import {
  fromOmp,
  fromPi,
  ompHomes,
  ompMovedTo,
  ompProblems,
  ompResume,
  ompTools,
  piHomes,
  piProblems,
  piRecords,
  piResume,
  piTools,
  toOmp,
  toPi,
} from "@pond/adapter-pi";
import type { Adapter, Meanings, Origin } from "@pond/canonical/adapter";
import { UnknownAdapterError } from "./errors.ts";

/** Every client that pond knows, one line each (spec 6.7). */
export const adapters: readonly Adapter[] = [
  {
    origin: "claude-code",
    homes: claudeCodeHomes,
    from: (path) => fromClaudeCode(path),
    to: toClaudeCode,
    tools: claudeCodeTools,
    records: claudeCodeRecords,
    problems: claudeCodeProblems,
    resume: claudeCodeResume,
    resumesAbove: claudeCodeResumesAbove,
  },
  {
    origin: "codex",
    homes: codexHomes,
    from: (path) => fromCodex(path),
    to: toCodex,
    tools: codexTools,
    records: codexRecords,
    problems: codexProblems,
    movedTo: codexMovedTo,
    resume: codexResume,
    resumesAbove: codexResumesAbove,
  },
  {
    origin: "opencode",
    homes: opencodeHomes,
    from: (path) => fromOpencode(path),
    to: toOpencode,
    tools: opencodeTools,
    records: opencodeRecords,
    problems: opencodeProblems,
    held: opencodeHeld,
    resume: opencodeResume,
  },
  {
    origin: "pi",
    homes: piHomes,
    from: (path) => fromPi(path),
    to: toPi,
    tools: piTools,
    records: piRecords,
    problems: piProblems,
    resume: piResume,
  },
  {
    origin: "omp",
    homes: ompHomes,
    // What it imports from others it copies with their words for the model.
    from: (path) => {
      return fromOmp(path, { prompts: { claude: cutClaudeCodePrompt, codex: cutCodexPrompt } });
    },
    to: toOmp,
    tools: ompTools,
    records: piRecords,
    problems: ompProblems,
    movedTo: ompMovedTo,
    resume: ompResume,
  },
  {
    origin: "phi-core",
    homes: phiCoreHomes,
    from: (path) => fromPhiCore(path),
    to: toPhiCore,
    problems: phiCoreProblems,
    save: savePhiCoreSession,
  },
];

/** The adapter of the client called `name`. @throws {UnknownAdapterError} if there is none. */
export function adapterNamed(name: string): Adapter {
  const adapter = adapters.find(({ origin }) => origin === name);
  if (adapter) return adapter;
  throw new UnknownAdapterError(
    name,
    adapters.map(({ origin }) => origin),
  );
}

/**
 * How to interpret what the clients of the registry wrote, or those of a list that goes beyond it.
 */
export function meaningsOf(known: readonly Adapter[] = adapters): Meanings {
  const client = (origin: Origin) => known.find((adapter) => adapter.origin === origin);
  return {
    readTool: (origin, call) => client(origin)?.tools?.read(call),
    recordsOf: (origin) => client(origin)?.records,
  };
}
