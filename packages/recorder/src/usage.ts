/** Token counts, as far as a provider reported them. */
export type Usage = {
  readonly input?: number;
  readonly output?: number;
  readonly reasoning?: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
  readonly total_tokens?: number;
};

/** The sum of several usages. A count that none of them reports is absent. */
export function sumOf(usages: readonly (Usage | undefined)[]): Usage {
  const total: { -readonly [Key in keyof Usage]: Usage[Key] } = {};
  for (const usage of usages) {
    for (const key of counts) {
      const count = usage?.[key];
      if (count !== undefined) total[key] = (total[key] ?? 0) + count;
    }
  }
  return total;
}

const counts = [
  "input",
  "output",
  "reasoning",
  "cache_read",
  "cache_write",
  "total_tokens",
] as const satisfies readonly (keyof Usage)[];
