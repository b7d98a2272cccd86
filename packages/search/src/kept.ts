/** Removes the oldest entries of a map until so many are left. */
export function keepNewest(map: Map<string, unknown>, atMost: number): void {
  for (const key of map.keys()) {
    if (map.size <= atMost) return;
    map.delete(key);
  }
}
