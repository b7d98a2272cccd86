/** @throws {RangeError} for what is no number of something. */
export function checkCount(name: string, value: number): void {
  if (value >= 0) return;
  throw new RangeError(`${name}: ${value} is not a number from 0`);
}
