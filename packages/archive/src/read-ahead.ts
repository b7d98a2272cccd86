/**
 * The same items, the next of which is made while one is used.
 *
 * @param isLarge - Only when such a one has been used is the next made.
 */
export async function* readAhead<T>(
  items: AsyncGenerator<T>,
  isLarge: (item: T) => boolean = () => false,
): AsyncGenerator<T> {
  const read = (): Promise<IteratorResult<T>> => {
    const reading = items.next();
    // It is waited for later, or nobody wants it any more.
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
    // Behind what is being made.
    await items.return(undefined);
  }
}
