import { median } from "../shared/percentile.ts";
import type { TimeSpent } from "../shared/stopwatch.ts";

/** One way to do one thing. */
export type Contender = {
  readonly operation: string;
  readonly tool: string;
  /** A process from start to end, or a query to something that is already open. */
  readonly kind: "process" | "open";
  /** What kind of answer it gives, for a reader who has to choose. */
  readonly answers: string;
  /** Runs only once, because a second run would find its work done. */
  readonly isOnce?: boolean;
  readonly run: () => Promise<Outcome> | Outcome;
};

/** What a run cost, and how many messages, sessions or groups it answered with. */
export type Outcome = TimeSpent & { readonly found: number };

export type Result = Outcome & Pick<Contender, "operation" | "kind" | "tool" | "answers">;

const longMs = 5_000;

/**
 * Measures each operation in turn, its contenders one after the other in every round. Gives
 * medians.
 */
export async function compare(
  contenders: readonly Contender[],
  { runs, tell }: { readonly runs: number; readonly tell: (what: string) => void },
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [operation, ours] of Map.groupBy(contenders, (each) => each.operation)) {
    const rounds = ours.map((contender) => ({ contender, spent: [] as Outcome[] }));
    for (let round = 0; round < runs; round += 1) {
      for (const { contender, spent } of rounds) {
        const [first] = spent;
        if (first && (contender.isOnce || first.wallMs > longMs)) continue;
        const now = await contender.run();
        spent.push(now);
        tell(`${operation}: ${contender.tool}: ${(now.wallMs / 1000).toFixed(3)} s`);
      }
    }
    for (const { contender, spent } of rounds) {
      const { kind, tool, answers } = contender;
      results.push({ operation, kind, tool, answers, ...middle(spent) });
    }
  }
  return results;
}

/**
 * Its time divided by that of the first of its operation and kind, which is pond's: above 1, pond
 * is faster.
 */
export function ratioOf(result: Result, results: readonly Result[]): number {
  const { operation, kind } = result;
  const pond = results.find((each) => each.operation === operation && each.kind === kind);
  return pond === undefined ? Number.NaN : result.wallMs / pond.wallMs;
}

function middle(spent: readonly Outcome[]): Outcome {
  return {
    wallMs: median(spent.map(({ wallMs }) => wallMs)),
    cpuMs: spent.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / spent.length,
    found: spent.at(-1)?.found ?? 0,
  };
}
