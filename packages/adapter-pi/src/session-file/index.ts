export { buildSessionContext, type SessionContext } from "./context.ts";
export type { SessionDialect, SessionEntry, SessionHeader } from "./entry.ts";
export { EntryNotFoundError, SessionFileError } from "./errors.ts";
export { type NewSession, SessionFile, type SessionFileOptions } from "./session-file.ts";
export { SessionTree, type SessionTreeNode } from "./tree.ts";
