const idsPerQuery = 500;

/** Ids, in groups of as many as one query can take. */
export function* idChunks(ids: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < ids.length; from += idsPerQuery) {
    yield ids.slice(from, from + idsPerQuery);
  }
}
