export { ConflictError } from "../errors.ts";
export { DamagedFileError, LockedError } from "./errors.ts";
export { createFileStore, type SessionStore } from "./file-store.ts";
export type { LockHolder } from "./lock.ts";
