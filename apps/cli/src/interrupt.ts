/** Makes a signal that aborts at the first Ctrl-C; the second one ends the process at once. */
export function onInterrupt(): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController();
  const listener = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on("SIGINT", listener);
  process.on("SIGTERM", listener);
  const stop = (): void => {
    process.off("SIGINT", listener);
    process.off("SIGTERM", listener);
  };
  return { signal: controller.signal, stop };
}
