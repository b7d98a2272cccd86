/** What something took. */
export type Spent = {
  readonly wallMs: number;
  /** Of all threads: what else the machine does lengthens it little. */
  readonly cpuMs: number;
};

/** Starts a clock of this process; it tells what was spent since. */
export function stopwatch(): () => Spent {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  return () => {
    const wallMs = performance.now() - startedMs;
    const { user, system } = process.cpuUsage(before);
    return { wallMs, cpuMs: (user + system) / 1000 };
  };
}
