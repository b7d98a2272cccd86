import type { JsonValue } from "@pond/canonical";
import { openExport } from "./export-file.ts";

/** What a session has from its beginning on, beside its id. */
type Birth = { readonly slug: JsonValue | undefined; readonly created: JsonValue | undefined };
type First = { readonly file: string; birth?: Birth | undefined };

/**
 * The exports of a folder by their ids. Several may be states of one session, or of sessions whose
 * ids were taken out: those are neither alike in their slug nor in the time they were made.
 */
export class ExportsById {
  readonly #firsts = new Map<string, First>();

  /** The export that came first with this id, where this file holds another session. */
  otherThan(file: string, id: string): string | undefined {
    const first = this.#firsts.get(id);
    if (first === undefined) {
      this.#firsts.set(id, { file });
      return undefined;
    }
    // Only what may be confused is parsed.
    first.birth ??= birthOf(first.file);
    const birth = birthOf(file);
    if (first.birth === undefined || birth === undefined) return undefined;
    return isOne(first.birth, birth) ? undefined : first.file;
  }
}

/** Old sessions have no slug, or an empty one: that says nothing. */
function isOne(left: Birth, right: Birth): boolean {
  const hasSlug = left.slug !== undefined && left.slug !== "";
  return left.created === right.created || (hasSlug && left.slug === right.slug);
}

function birthOf(file: string): Birth | undefined {
  const record = openExport(file)?.record;
  return record && { slug: record.peek("slug"), created: record.record("time")?.peek("created") };
}
