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

export function limitsOf(limits: Partial<HandlerLimits> = {}): HandlerLimits {
  return { ...defaults, ...limits };
}
