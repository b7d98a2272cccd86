// It only shows if something is pending that never ends.
const maxWaitMs = 1_000;

/**
 * Ends the process even if something may still be pending that nobody wants any more. If nothing is
 * pending, it ends by itself, at once, which removes what the engine keeps in the folder for
 * temporary files; `process.exit` does not.
 */
export function exitSoon(): void {
  setTimeout(() => process.exit(), maxWaitMs).unref();
}

/** Ends the process when nobody reads what it prints: `pond list | head` closes the pipe early. */
export function exitWithReader(): void {
  let isReaderGone = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    isReaderGone ||= error.code === "EPIPE";
    if (isReaderGone) return exitSoon();
    process.stderr.write(`error: what pond prints cannot be written: ${error.message}\n`);
    process.exit(1);
  });
  // It is not an error, either, if nobody reads the notes on stderr.
  process.stderr.on("error", () => undefined);
}
