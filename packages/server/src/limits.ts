/** What one request may ask for at most, whatever carries it. */
export type HandlerLimits = {
  /** Events of one ingest. */
  readonly maxEvents: number;
  /** The largest page that `get` makes; one message or part that is larger still comes whole. */
  readonly maxReplyBytes: number;
  /** All files of one restore. */
  readonly maxRestoreBytes: number;
};

const defaults: HandlerLimits = {
  maxEvents: 10_000,
  maxReplyBytes: 1024 * 1024,
  maxRestoreBytes: 64 * 1024 * 1024,
};

/** @throws {TypeError} for one that nothing could keep to. */
export function limitsOf(options: Partial<HandlerLimits> = {}): HandlerLimits {
  const limits = { ...defaults, ...options };
  for (const [name, limit] of Object.entries(limits)) refuseUnfit(name, limit);
  return limits;
}

/**
 * Refuses a limit that is none: whatever is compared with what is no number passes, and nothing does
 * where it is too small.
 *
 * @throws {TypeError}
 */
export function refuseUnfit(
  name: string,
  limit: number,
  { least = 1, most = Number.POSITIVE_INFINITY }: { least?: number; most?: number } = {},
): void {
  if (typeof limit === "number" && limit >= least && limit <= most) return;
  const upTo = most === Number.POSITIVE_INFINITY ? "" : ` up to ${most}`;
  throw new TypeError(`${name}: ${limit} is not allowed; use a number from ${least}${upTo}`);
}
