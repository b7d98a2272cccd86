// Only where something is waited for in vain does anybody feel it.
const longestMs = 1_000;

/**
 * Ends the process where something may still be waited for that nobody wants any more. At once where
 * nothing is: an end that comes by itself removes what the engine keeps in the folder for temporary
 * files, and `process.exit` does not.
 */
export function leaveSoon(): void {
  setTimeout(() => process.exit(), longestMs).unref();
}

/** Ends the process when nobody reads what it prints: `pond list | head` closes the pipe early. */
export function leaveWithReader(): void {
  let isReaderGone = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    isReaderGone ||= error.code === "EPIPE";
    if (isReaderGone) return leaveSoon();
    process.stderr.write(`error: what pond prints cannot be written: ${error.message}\n`);
    process.exit(1);
  });
  // Nor is it an error that nobody reads what is said on the side.
  process.stderr.on("error", () => undefined);
}
