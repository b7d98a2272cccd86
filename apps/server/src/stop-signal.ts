/** As a shell says it of a process that was ended by Ctrl-C. */
const interrupted = 130;

let stop: (() => void) | undefined;

/** Ends the process on SIGINT and SIGTERM: as the first of a container it would not hear of them. */
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

/** From now on the first of them is told instead; one after it ends the process. */
export function onStopSignal(tell: () => void): void {
  stop = tell;
}
