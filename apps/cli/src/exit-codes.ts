/** Exit codes of the process; scripts rely on them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  badUsage: 2,
  /** Done, but something could not be read or written; it is listed. */
  doneWithFaults: 3,
  /** The code that shells report for a Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
