import { type JsonValue, stringifyJson } from "@pond/canonical";
import { openExport } from "./export-file.ts";

/** An export, and the session that it says it holds; undefined if the file says nothing. */
export type Exported = { readonly file: string; readonly id: string | undefined };
/** What a session has from its beginning on, besides its id. */
type Birth = { readonly slug: JsonValue | undefined; readonly created: JsonValue | undefined };

/**
 * The exports that are not read, each with the one of the same id that is. Several exports may be
 * states of one session, or of sessions whose ids were removed; those differ in their slug or in
 * the time they were made. The one that was made first is read, because names of files change.
 */
export function shadowedExports(exports: readonly Exported[]): ReadonlyMap<string, string> {
  const others = new Map<string, string>();
  for (const [id, sameId] of Map.groupBy(exports, ({ id }) => id)) {
    // Only files that may be confused are parsed.
    if (id === undefined || sameId.length === 1) continue;
    const births = sameId.flatMap(({ file }) => {
      const birth = birthOf(file);
      return birth ? [{ file, birth }] : [];
    });
    const [first] = births.toSorted((left, right) => byAge(left.birth, right.birth));
    for (const { file, birth } of births) {
      if (first && !isSameSession(first.birth, birth)) others.set(file, first.file);
    }
  }
  return others;
}

/** If the ages of two say nothing, their other fields decide. */
function byAge(left: Birth, right: Birth): number {
  const [one, other] = [ageOf(left), ageOf(right)];
  if (one !== other) return one - other;
  const [text, otherText] = [textOf(left), textOf(right)];
  if (text === otherText) return 0;
  return text < otherText ? -1 : 1;
}

function ageOf({ created }: Birth): number {
  return typeof created === "number" ? created : Number.POSITIVE_INFINITY;
}

function textOf({ slug = null, created = null }: Birth): string {
  return stringifyJson([created, slug]);
}

/** Old sessions have no slug, or an empty one, which says nothing. */
function isSameSession(left: Birth, right: Birth): boolean {
  const hasSlug = left.slug !== undefined && left.slug !== "";
  return left.created === right.created || (hasSlug && left.slug === right.slug);
}

function birthOf(file: string): Birth | undefined {
  const record = openExport(file)?.record;
  return record && { slug: record.peek("slug"), created: record.record("time")?.peek("created") };
}
