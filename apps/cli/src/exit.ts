/** What the process ends with; scripts rely on it. */
export const exitCodes = {
  done: 0,
  failed: 1,
  badUsage: 2,
  /** Done, and something could not be read or written; it is listed. */
  doneWithFaults: 3,
  /** As shells report a Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
