/** The name that `typed` was probably meant to be; undefined if none is similar. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const plain = plainOf(typed);
  if (plain === "") return undefined;
  const [nearest] = names
    .map((name) => ({ name, distance: distanceOf(plain, plainOf(name)) }))
    .sort((left, right) => left.distance - right.distance);
  return nearest && nearest.distance <= plainOf(nearest.name).length / 2 ? nearest.name : undefined;
}

function plainOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/**
 * How many characters to add, remove or change; for a name that was cut short, missing ones count
 * half.
 */
function distanceOf(typed: string, name: string): number {
  if (name.startsWith(typed)) return (name.length - typed.length) / 2;
  let row = Array.from({ length: name.length + 1 }, (_, at) => at);
  for (const [at, letter] of Array.from(typed).entries()) {
    let diagonal = at;
    let left = at + 1;
    row = row.map((above, column) => {
      if (column === 0) return left;
      const changed = diagonal + (name.charAt(column - 1) === letter ? 0 : 1);
      diagonal = above;
      left = Math.min(left + 1, above + 1, changed);
      return left;
    });
  }
  return row.at(-1) ?? typed.length;
}
