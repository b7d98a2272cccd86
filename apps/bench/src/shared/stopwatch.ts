/** What something cost. */
export type TimeSpent = {
  readonly wallMs: number;
  /** The CPU time of all threads, which other work of the machine hardly lengthens. */
  readonly cpuMs: number;
};

/** Starts a clock of this process; the returned function tells what was spent since. */
export function stopwatch(): () => TimeSpent {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  return () => {
    const wallMs = performance.now() - startedMs;
    const { user, system } = process.cpuUsage(before);
    return { wallMs, cpuMs: (user + system) / 1000 };
  };
}
