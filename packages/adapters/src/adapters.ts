import {
  claudeCodeHomes,
  claudeCodeProblems,
  claudeCodeRecordRules,
  claudeCodeResume,
  claudeCodeResumesInParent,
  claudeCodeTools,
  fromClaudeCode,
  splitClaudeCodePrompt,
  toClaudeCode,
} from "@pond/adapter-claude-code";
import {
  codexHomes,
  codexMovedTo,
  codexProblems,
  codexRecordRules,
  codexResume,
  codexResumesInParent,
  codexTools,
  fromCodex,
  splitCodexPrompt,
  toCodex,
} from "@pond/adapter-codex";
import {
  fromOpencode,
  opencodeCopyState,
  opencodeHomes,
  opencodeProblems,
  opencodeRecordRules,
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
  piRecordRules,
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
    recordRules: claudeCodeRecordRules,
    problems: claudeCodeProblems,
    resume: claudeCodeResume,
    resumesInParent: claudeCodeResumesInParent,
  },
  {
    origin: "codex",
    homes: codexHomes,
    from: (path) => fromCodex(path),
    to: toCodex,
    tools: codexTools,
    recordRules: codexRecordRules,
    problems: codexProblems,
    movedTo: codexMovedTo,
    resume: codexResume,
    resumesInParent: codexResumesInParent,
  },
  {
    origin: "opencode",
    homes: opencodeHomes,
    from: (path) => fromOpencode(path),
    to: toOpencode,
    tools: opencodeTools,
    recordRules: opencodeRecordRules,
    problems: opencodeProblems,
    copyState: opencodeCopyState,
    resume: opencodeResume,
  },
  {
    origin: "pi",
    homes: piHomes,
    from: (path) => fromPi(path),
    to: toPi,
    tools: piTools,
    recordRules: piRecordRules,
    problems: piProblems,
    resume: piResume,
  },
  {
    origin: "omp",
    homes: ompHomes,
    // What it imports from others it copies with their words for the model.
    from: (path) => {
      return fromOmp(path, { prompts: { claude: splitClaudeCodePrompt, codex: splitCodexPrompt } });
    },
    to: toOmp,
    tools: ompTools,
    recordRules: piRecordRules,
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
    recordRulesOf: (origin) => client(origin)?.recordRules,
  };
}
