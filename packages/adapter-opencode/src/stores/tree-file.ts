import { join } from "node:path";
import type { FaultEvent } from "@pond/canonical";
import { leadsOutsideReason } from "@pond/canonical/adapter";
import { fault } from "../faults.ts";
import { isLinkOut } from "../links.ts";
import { completeBody } from "./completed.ts";
import { NotJson, readJsonObject } from "./json-file.ts";
import type { Stored } from "./stored.ts";

/** The ids in the place of a file. */
export type Ids = Readonly<Record<string, string>>;

/**
 * The record of one file of a JSON tree.
 *
 * @throws {NotJson} if it holds none.
 * @throws if it cannot be read.
 */
export function readStored(home: string, path: string, ids: Ids): Stored {
  const file = join(home, path);
  if (isLinkOut(file, home)) throw new NotJson(leadsOutsideReason);
  const { value, encodedBytes } = readJsonObject(file);
  return completeBody(
    { uri: file, record: "file" },
    value,
    ids,
    {},
    { isBare: false, encodedBytes },
  );
}

/** The same, or a fault for a file that holds no record. */
export function readStoredOrFault(home: string, path: string, ids: Ids): Stored | FaultEvent {
  try {
    return readStored(home, path, ids);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return { ...fault(join(home, path), error.message, error), records: 1 };
  }
}
