import { fromRfc3339, type Micros } from "@pond/canonical";

/** Every instant in a text: RFC 3339, and without a zone as file names write it. */
export function instantsIn(text: string): readonly Micros[] {
  return Array.from(text.matchAll(pattern)).flatMap(([, date, hour, rest, fraction = "", zone]) => {
    const time = `${date}T${hour}:${rest?.replace("-", ":")}${fraction}`;
    return fromRfc3339(`${time}${zone ?? "Z"}`) ?? [];
  });
}

/** The instants that a number may mean: seconds, milliseconds or microseconds since the epoch. */
export function instantsOf(number: number): readonly Micros[] {
  return [1, 1_000, 1_000_000].flatMap((microsPerUnit) => {
    const micros = number * microsPerUnit;
    if (!Number.isFinite(micros)) return [];
    // Readers cut or round what is finer than a microsecond; both are the source's own time.
    return [BigInt(Math.floor(micros)), BigInt(Math.round(micros))];
  });
}

/**
 * The whole numbers that a time gives back: those that a record's `milliseconds` and `seconds`
 * take.
 */
export function numbersOf(micros: Micros): readonly number[] {
  return [1_000n, 1_000_000n].flatMap((unit) =>
    micros % unit === 0n ? [Number(micros / unit)] : [],
  );
}

const pattern = /(\d{4}-\d\d-\d\d)[Tt _](\d\d)[:-](\d\d[:-]\d\d)([.,]\d+)?([Zz]|[+-]\d\d:?\d\d)?/g;
