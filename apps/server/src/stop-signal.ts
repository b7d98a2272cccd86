/** The exit code that a shell reports for a process ended by Ctrl-C. */
const interruptedExitCode = 130;

let stopListener: (() => void) | undefined;

/**
 * Ends the process on SIGINT and SIGTERM: as the first process of a container it would not react to
 * them.
 */
export function exitOnStopSignal(): void {
  const onSignal = (): void => {
    const first = stopListener;
    stopListener = undefined;
    if (first === undefined) process.exit(interruptedExitCode);
    first();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
}

/** From now on, `listener` is called at the first signal; a second one ends the process. */
export function onStopSignal(listener: () => void): void {
  stopListener = listener;
}
