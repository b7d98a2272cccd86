import { type JsonValue, stringifyJson } from "@pond/canonical";
import { openExport } from "./export-file.ts";

/** An export, and the session that it says it is of; undefined where the file says nothing. */
export type Exported = { readonly file: string; readonly id: string | undefined };
/** What a session has from its beginning on, beside its id. */
type Birth = { readonly slug: JsonValue | undefined; readonly created: JsonValue | undefined };

/**
 * The exports that are not read, each with one of the same id that is. Several may be states of one
 * session, or of sessions whose ids were taken out: those are neither alike in their slug nor in the
 * time they were made. The one that was made first is read: names of files change.
 */
export function ofOtherSessions(exports: readonly Exported[]): ReadonlyMap<string, string> {
  const others = new Map<string, string>();
  for (const [id, alike] of Map.groupBy(exports, ({ id }) => id)) {
    // Only what may be confused is parsed.
    if (id === undefined || alike.length === 1) continue;
    const born = alike.flatMap(({ file }) => {
      const birth = birthOf(file);
      return birth ? [{ file, birth }] : [];
    });
    const [first] = born.toSorted((left, right) => byAge(left.birth, right.birth));
    for (const { file, birth } of born) {
      if (first && !isOne(first.birth, birth)) others.set(file, first.file);
    }
  }
  return others;
}

/** Of two whose ages say nothing, what else they have decides. */
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

/** Old sessions have no slug, or an empty one: that says nothing. */
function isOne(left: Birth, right: Birth): boolean {
  const hasSlug = left.slug !== undefined && left.slug !== "";
  return left.created === right.created || (hasSlug && left.slug === right.slug);
}

function birthOf(file: string): Birth | undefined {
  const record = openExport(file)?.record;
  return record && { slug: record.peek("slug"), created: record.record("time")?.peek("created") };
}
