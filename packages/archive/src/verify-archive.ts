import { type OpenOptions, withArchive } from "./open-archive.ts";
import type { RedactedCount } from "./redaction.ts";

/** The content of an archive, all of it verified. */
export type ArchiveSummary = {
  /** Id of the store that was exported. */
  readonly storeId: string;
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Digest of the rows of each table. */
  readonly digests: Readonly<Record<string, string>>;
  /** What was replaced when it was made; absent if nothing was looked for. */
  readonly redacted?: readonly RedactedCount[];
};

/**
 * Verifies everything that {@link importArchive} would, and stores nothing.
 *
 * @throws {ArchiveError} that says what is wrong, and where.
 */
export async function verifyArchive(
  file: string,
  options: OpenOptions = {},
): Promise<ArchiveSummary> {
  return withArchive(file, options, async (_, { store_id: storeId, tables, redacted }) => ({
    storeId,
    rows: Object.fromEntries(tables.map(({ name, rows }) => [name, rows])),
    digests: Object.fromEntries(tables.map(({ name, digest }) => [name, digest])),
    ...(redacted && { redacted }),
  }));
}
