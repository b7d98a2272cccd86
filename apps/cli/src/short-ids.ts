const leastLength = 8;

/** The beginnings of ids, long enough to tell each from the others. */
export function shortIds(ids: readonly string[]): string[] {
  for (let length = leastLength; ; length *= 2) {
    const short = ids.map((id) => begin(id, length));
    const isUnique = new Set(short).size === new Set(ids).size;
    if (isUnique || short.every((each, at) => each === ids[at])) return short;
  }
}

/** The id of a sub-agent goes on from its session's, so only what comes behind tells it apart. */
function begin(id: string, length: number): string {
  if (id.length <= length + 4) return id;
  return id.includes("/") ? id : id.slice(0, length);
}
