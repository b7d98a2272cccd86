import { percentile } from "../shared/percentile.ts";
import type { ServingAnswer } from "./clients.ts";

type Times = {
  readonly answers: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
};

export type ServingSummary = {
  readonly all: Times;
  readonly search: Times;
  readonly get: Times;
  /** How often each thing went wrong. */
  readonly failures: Readonly<Record<string, number>>;
};

export type ServingReport = ServingSummary & {
  readonly machine: string;
  readonly clients: number;
  readonly seconds: number;
  readonly messages: number;
  /** Of the server: before the load, halfway through it, and at most. */
  readonly memoryMb: { readonly rest: number; readonly half: number; readonly most: number };
};

/** The most that the tail may be, in multiples of the median. */
const tailBar = 5;

export function summarize(answers: readonly ServingAnswer[], seconds: number): ServingSummary {
  const failures: Record<string, number> = {};
  for (const { failure } of answers) {
    if (failure !== undefined) failures[failure] = (failures[failure] ?? 0) + 1;
  }
  const timesOf = (kind?: ServingAnswer["kind"]): Times => {
    const times = answers
      .filter((each) => each.failure === undefined && (kind ?? each.kind) === each.kind)
      .map(({ ms }) => ms);
    return {
      answers: times.length,
      perSecond: times.length / seconds,
      p50Ms: percentile(times, 0.5),
      p95Ms: percentile(times, 0.95),
      p99Ms: percentile(times, 0.99),
    };
  };
  return { all: timesOf(), search: timesOf("search"), get: timesOf("get"), failures };
}

export function printServing({ memoryMb, failures, ...report }: ServingReport): void {
  const { machine, clients, seconds, messages } = report;
  console.log(`${clients} clients for ${seconds} s, ${messages} messages; ${machine}`);
  for (const kind of ["all", "search", "get"] as const) {
    const { answers, perSecond, p50Ms, p95Ms, p99Ms } = report[kind];
    const times = [p50Ms, p95Ms, p99Ms].map((ms) => ms.toFixed(0)).join(" / ");
    const tail = p95Ms / p50Ms;
    const verdict = tail <= tailBar ? "met" : "NOT MET";
    console.log(
      `${kind.padEnd(7)}${answers} answers, ${perSecond.toFixed(0)}/s, p50/p95/p99 ${times} ms, p95 ${tail.toFixed(1)}x p50 (bar ${tailBar}x: ${verdict})`,
    );
  }
  const { rest, half, most } = memoryMb;
  console.log(`memory  ${rest} MB at rest, ${half} MB half way, ${most} MB at most`);
  const failed = Object.entries(failures).map(([what, count]) => `${count} x ${what}`);
  console.log(`errors  ${failed.join(", ") || "none"}`);
}
