/**
 * Yields the same items; the next is made while one is used.
 *
 * @param isLarge - True for an item that has to be used before the next is made.
 */
export async function* readAhead<T>(
  items: AsyncGenerator<T>,
  isLarge: (item: T) => boolean = () => false,
): AsyncGenerator<T> {
  const read = (): Promise<IteratorResult<T>> => {
    const reading = items.next();
    // It is awaited later, or nobody wants it any more.
    reading.catch(() => undefined);
    return reading;
  };
  let next = read();
  try {
    for (;;) {
      const { value, done } = await next;
      if (done) return;
      const isAlone = isLarge(value);
      if (!isAlone) next = read();
      yield value;
      if (isAlone) next = read();
    }
  } finally {
    // After the item that is being made.
    await items.return(undefined);
  }
}
