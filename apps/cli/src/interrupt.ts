/**
 * Makes a signal that aborts at the first Ctrl-C, SIGTERM, or end of the terminal; a second Ctrl-C or
 * SIGTERM ends the process at once.
 */
export function onInterrupt(): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController();
  const listener = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  // Of a terminal that is closed, both the system and the shell tell the process.
  const hangUp = (): void => controller.abort();
  process.on("SIGINT", listener);
  process.on("SIGTERM", listener);
  process.on("SIGHUP", hangUp);
  const stop = (): void => {
    process.off("SIGINT", listener);
    process.off("SIGTERM", listener);
    process.off("SIGHUP", hangUp);
  };
  return { signal: controller.signal, stop };
}
