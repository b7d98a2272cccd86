import { adapters } from "@pond/adapters";
import type { Target } from "../target.ts";
import { archive } from "./archive.ts";
import { json } from "./json.ts";
import { opencodeDatabase } from "./opencode-database.ts";
import { readerTarget } from "./reader.ts";
import { wire } from "./wire.ts";

const isJson = (path: string): boolean => path.endsWith(".json");
/** Clients that write JSON documents. The others keep such files as they are. */
const documents: ReadonlySet<string> = new Set(["codex", "opencode", "phi-core"]);
// The log of a workflow is a file of its session, kept byte by byte.
const isLog = (path: string): boolean => path.endsWith(".jsonl") && !path.endsWith("journal.jsonl");

/** Every target: everything that reads what others wrote. */
export const targets: readonly Target[] = [
  ...adapters.map((adapter) =>
    readerTarget({
      adapter,
      isLines: isLog,
      ...(documents.has(adapter.origin) && { isDocument: isJson }),
    }),
  ),
  opencodeDatabase,
  json,
  archive,
  wire,
];
