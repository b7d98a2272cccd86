/** Removes the oldest entries of a map until so many are left. */
export function evictOldest(map: Map<string, unknown>, maxEntries: number): void {
  for (const key of map.keys()) {
    if (map.size <= maxEntries) return;
    map.delete(key);
  }
}
