const minLength = 8;
// So little is not worth leaving out.
const minSavedLength = 4;

/**
 * For each id its shortest beginning that names it, at least as long as what is typed already. An
 * id that others go on from, as those of sub-agents do, is the one that its beginning names.
 *
 * @param ids - Every id that begins as typed: another one could not be mistaken for any of them.
 */
export function uniquePrefixes(ids: readonly string[], typedLength: number): Map<string, string> {
  const sorted = [...ids].sort();
  return new Map(
    sorted.map((id, at) => {
      let next = at + 1;
      while (sorted[next]?.startsWith(`${id}/`)) next += 1;
      const needed =
        1 + Math.max(commonPrefixLength(id, sorted[at - 1]), commonPrefixLength(id, sorted[next]));
      const length = Math.max(minLength, typedLength, needed);
      // Half a character is not one, and an id that continues another one differs in its end.
      const isWhole = id.length <= length + minSavedLength || !/^[\w-]+$/.test(id);
      return [id, isWhole ? id : id.slice(0, length)];
    }),
  );
}

/** How many characters two ids begin with alike. */
function commonPrefixLength(id: string, other: string | undefined): number {
  let length = 0;
  while (other !== undefined && length < id.length && id[length] === other[length]) length += 1;
  return length;
}
