const idsPerQuery = 500;

/** Ids, as many at a time as one query bears. */
export function* idChunks(ids: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < ids.length; from += idsPerQuery) {
    yield ids.slice(from, from + idsPerQuery);
  }
}
