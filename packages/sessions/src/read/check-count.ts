/** @throws {RangeError} for a value that is not a count. */
export function checkCount(name: string, value: number): void {
  if (value >= 0) return;
  throw new RangeError(`${name}: ${value} is not a number from 0`);
}
