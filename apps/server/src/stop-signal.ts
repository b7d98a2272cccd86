/** The exit code that a shell reports for a process ended by Ctrl-C. */
const interrupted = 130;

let stop: (() => void) | undefined;

/**
 * Ends the process on SIGINT and SIGTERM: as the first process of a container it would not react to
 * them.
 */
export function exitOnStopSignal(): void {
  const onSignal = (): void => {
    const first = stop;
    stop = undefined;
    if (first === undefined) process.exit(interrupted);
    first();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
}

/** From now on, `tell` is called at the first signal; a second one ends the process. */
export function onStopSignal(tell: () => void): void {
  stop = tell;
}
