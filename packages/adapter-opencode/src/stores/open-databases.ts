import { join } from "node:path";
import type { FaultEvent } from "@pond/canonical";
import { isGone } from "@pond/canonical/adapter";
import { fault } from "../faults.ts";
import { Database, DatabaseChanged, isCorruption } from "./database.ts";

/** A database that cannot be read, and the reason. */
export type FailedDatabase = { readonly file: string; readonly error: Error };

/** The databases that can be read, and why each other one cannot; one that is gone is neither. */
export function openReadable(
  folder: string,
  names: readonly string[],
): {
  readonly databases: readonly Database[];
  readonly failed: readonly FailedDatabase[];
} {
  const databases: Database[] = [];
  const failed: FailedDatabase[] = [];
  for (const name of names) {
    const file = join(folder, name);
    let database: Database | undefined;
    try {
      database = new Database(file);
      // Reads the first page: a file that is not a database fails here.
      database.has("session");
      databases.push(database);
    } catch (error) {
      database?.close();
      if (!(error instanceof Error) || error instanceof DatabaseChanged) {
        for (const opened of databases) opened.close();
        throw error;
      }
      if (!isGone(error)) failed.push({ file, error });
    }
  }
  return { databases, failed };
}

/** The fault for a database that cannot be read. */
export function openFault(file: string, error: Error): FaultEvent {
  return fault(file, `cannot be read (${error.message})`, error);
}

/** The fault for a database of the program that had this name before; undefined for any other. */
export function otherClientFault(database: Database): FaultEvent | undefined {
  const isOlder = database.has("sessions", "messages") && !database.has("session");
  if (!isOlder || !database.columns("messages").has("parts")) return undefined;
  // What somebody put there stays like this, so reporting it once is enough.
  return { ...fault(database.file, otherClientReason), isLeftover: true };
}

const otherClientReason =
  "of the older program of this name, which is written in Go: another client's, not ingested";

/** The fault for a database that was opened but could not be listed, or not to its end. */
export function listFault(file: string, error: Error): FaultEvent {
  if (!isCorruption(error)) return openFault(file, error);
  return fault(file, `not all of it can be read (${error.message})`, error);
}
