export { ConflictError } from "../errors.ts";
export { DamagedFileError, LockedError, NoFolderError } from "./errors.ts";
export { createFileStore, type SessionStore } from "./file-store.ts";
export type { LockHolder } from "./lock.ts";
