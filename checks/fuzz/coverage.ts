import { Session } from "node:inspector";

type Range = { readonly startOffset: number; readonly endOffset: number; readonly count: number };
type FunctionCoverage = { readonly ranges: readonly Range[] };
type ScriptCoverage = { readonly url: string; readonly functions: readonly FunctionCoverage[] };

/**
 * Which blocks of some sources were run, by the engine's counts. The engine counts only in
 * functions that it compiles later, so create this before any of those sources is called.
 */
export class Coverage {
  readonly #session = new Session();
  #sources: RegExp = /^$/;
  /** By script and function: the start of each block, and whether it was ever run. */
  #blocks: Map<string, Map<number, boolean>> = new Map();
  /** The blocks run for the first time since the last call, by function. */
  #fresh: (readonly [name: string, offset: number])[] = [];

  constructor() {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** Starts again, with these sources. */
  watch(sources: RegExp): void {
    this.#sources = sources;
    this.#blocks = new Map();
    this.#take();
  }

  /** How many blocks were run so far. */
  get reached(): number {
    let reached = 0;
    for (const blocks of this.#blocks.values()) {
      for (const isReached of blocks.values()) if (isReached) reached++;
    }
    return reached;
  }

  /** True if a block was run since the last call that had never run before. */
  isNew(): boolean {
    this.#fresh = [];
    for (const [name, ranges] of this.#take()) {
      const blocks = this.#blocks.get(name) ?? new Map<number, boolean>();
      this.#blocks.set(name, blocks);
      for (const { startOffset } of ranges) {
        if (!blocks.has(startOffset)) blocks.set(startOffset, false);
      }
      for (const [offset, isReached] of blocks) {
        if (isReached || !isRun(ranges, offset)) continue;
        blocks.set(offset, true);
        this.#fresh.push([name, offset]);
      }
    }
    return this.#fresh.length > 0;
  }

  /** True if one of those new blocks was run since the last call. Each block counts once. */
  isNewer(): boolean {
    const run = this.#take();
    const before = this.#fresh.length;
    this.#fresh = this.#fresh.filter(([name, offset]) => !isRun(run.get(name) ?? [], offset));
    return this.#fresh.length < before;
  }

  /** Ignores the blocks that were run since the last call. */
  forget(): void {
    this.#take();
  }

  close(): void {
    this.#session.disconnect();
  }

  #take(): ReadonlyMap<string, readonly Range[]> {
    const taken = new Map<string, readonly Range[]>();
    // Answered before the call returns, because the session is on this thread.
    this.#session.post("Profiler.takePreciseCoverage", (error, answer) => {
      if (error) throw error;
      for (const { url, functions } of answer.result as readonly ScriptCoverage[]) {
        if (!this.#sources.test(url)) continue;
        for (const { ranges } of functions) {
          const [whole] = ranges;
          if (whole && whole.count > 0) {
            taken.set(`${url}:${whole.startOffset}:${whole.endOffset}`, ranges);
          }
        }
      }
    });
    return taken;
  }
}

/** Ranges come from the outside in: the last one that holds an offset is its block. */
function isRun(ranges: readonly Range[], offset: number): boolean {
  const own = ranges.findLast(
    ({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset,
  );
  return own !== undefined && own.count > 0;
}
