/** The most that one request may ask for, over any transport. */
export type HandlerLimits = {
  /** Events of one ingest. */
  readonly maxEvents: number;
  /**
   * The largest page that `get` makes. A single message or part that is larger still comes whole.
   */
  readonly maxReplyBytes: number;
  /** All files of one restore. */
  readonly maxRestoreBytes: number;
};

const defaults: HandlerLimits = {
  maxEvents: 10_000,
  maxReplyBytes: 1024 * 1024,
  maxRestoreBytes: 64 * 1024 * 1024,
};

/** @throws {TypeError} for an impossible limit. */
export function limitsOf(options: Partial<HandlerLimits> = {}): HandlerLimits {
  const limits = { ...defaults, ...options };
  for (const [name, limit] of Object.entries(limits)) requireInRange(name, limit);
  return limits;
}

/**
 * Refuses an invalid limit: every comparison with something that is not a number passes, and
 * nothing passes a limit that is too small.
 *
 * @throws {TypeError}
 */
export function requireInRange(
  name: string,
  limit: number,
  { min = 1, max = Number.POSITIVE_INFINITY }: { min?: number; max?: number } = {},
): void {
  if (typeof limit === "number" && limit >= min && limit <= max) return;
  const upTo = max === Number.POSITIVE_INFINITY ? "" : ` up to ${max}`;
  throw new TypeError(`${name}: ${limit} is not allowed; use a number from ${min}${upTo}`);
}
