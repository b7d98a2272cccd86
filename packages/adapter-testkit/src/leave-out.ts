/** Says of a case that it had nothing to look at, and why: it did not pass, it was not made. */
export function leaveOut(name: string, reason: string): void {
  console.log(`left out: ${name}: ${reason}`);
}
