/** Says that a case had nothing to check, and why: it did not pass, it was not made. */
export function reportSkipped(name: string, reason: string): void {
  console.log(`left out: ${name}: ${reason}`);
}
