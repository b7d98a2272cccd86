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
