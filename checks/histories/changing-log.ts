import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { leftAloneMs } from "@pond/canonical/adapter";
import type { Random } from "../chaos/random.ts";

/** What a log holds at one time. */
type State = {
  readonly lines: readonly string[];
  /** A line whose end is not written. */
  readonly torn: string;
  readonly isGone: boolean;
};

type Change = (state: State, log: ChangingLog, random: Random) => State;

/** Fields that hold what somebody said: any of them may be edited, and the log stays one. */
const texts = new Set(["text", "content", "thinking", "output", "command", "message", "summary"]);

const noise = [
  "not json",
  "{}",
  "[]",
  "null",
  "\0\0\0\0",
  '{"type":"x"',
  "",
  '{"a":{"b":[1,2]}}',
] as const;

/** A log of a client to which happens what happens to files on people's disks. */
export class ChangingLog {
  readonly file: string;
  /** The lines that its client wrote in the end. */
  readonly whole: readonly string[];
  readonly earlier: State[] = [];
  #state: State;
  #edits = 0;

  constructor(file: string, random: Random) {
    this.file = file;
    this.whole = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "");
    const lines = this.whole.slice(0, 1 + random.below(this.whole.length));
    this.#state = { lines, torn: "", isGone: false };
    this.#write(random);
  }

  /** Makes one random change, and gives its name. */
  change(random: Random): string {
    const [name, change] = random.pick(changes);
    this.#state = change(this.#state, this, random);
    this.#write(random);
    return name;
  }

  /** A line with something added to one of its texts; as it is if it has none. */
  edited(line: string, random: Random): string {
    const record = parsed(line);
    const place = oneOf(textsIn(record), random);
    if (place === undefined) return line;
    this.#edits += 1;
    place.fields[place.name] = `${place.fields[place.name]} edited ${this.#edits}`;
    return JSON.stringify(record);
  }

  #write(random: Random): void {
    const { lines, torn, isGone } = this.#state;
    if (isGone) {
      rmSync(this.file, { force: true });
      return;
    }
    mkdirSync(dirname(this.file), { recursive: true });
    writeFileSync(this.file, lines.map((line) => `${line}\n`).join("") + torn);
    const writtenMs = Date.now() - (random.isIn(0.5) ? 2 * leftAloneMs : 0);
    utimesSync(this.file, writtenMs / 1000, writtenMs / 1000);
    this.earlier.push(this.#state);
  }
}

const grown: Change = ({ lines, isGone }, { whole }, random) => {
  const next = whole.slice(lines.length, lines.length + 1 + random.below(5));
  return { lines: [...lines, ...next], torn: "", isGone };
};

const changes: readonly [NamedChange, ...NamedChange[]] = [
  ["grows", grown],
  ["grows", grown],
  ["grows", grown],
  ["is whole", (_, { whole }) => ({ lines: whole, torn: "", isGone: false })],
  [
    "is edited",
    (state, log, random) => {
      const at = random.below(state.lines.length);
      return withLines(state, at, 1, (line) => [log.edited(line, random)]);
    },
  ],
  [
    "loses lines",
    (state, _, random) => {
      // A log without its first line is of nobody.
      const at = 1 + random.below(state.lines.length - 1);
      return withLines(state, at, 1 + random.below(3), () => []);
    },
  ],
  [
    "has a line twice",
    (state, _, random) => {
      const line = state.lines[random.below(state.lines.length)] ?? "";
      const at = 1 + random.below(state.lines.length);
      return { ...state, lines: state.lines.toSpliced(at, 0, line) };
    },
  ],
  [
    "has two lines in another order",
    (state, _, random) => {
      const at = 1 + random.below(state.lines.length - 2);
      return withLines(state, at, 2, (...lines) => lines.toReversed());
    },
  ],
  [
    "is torn in its last line",
    (state, _, random) => {
      const last = state.lines.at(-1) ?? "";
      return { ...state, lines: state.lines.slice(0, -1), torn: begun(last, random) };
    },
  ],
  [
    "is torn in its next line",
    (state, { whole }, random) => ({
      ...state,
      torn: begun(whole[state.lines.length] ?? "{}", random),
    }),
  ],
  [
    "has a torn line before a whole one",
    (state, { whole }, random) => {
      const glued = begun(state.lines.at(-1) ?? "", random) + (whole[state.lines.length] ?? "{}");
      return { ...state, lines: [...state.lines, glued], torn: "" };
    },
  ],
  [
    "holds something else",
    (state, _, random) => {
      const at = 1 + random.below(state.lines.length);
      return { ...state, lines: state.lines.toSpliced(at, 0, random.pick(noise)) };
    },
  ],
  ["is as it was before", (state, { earlier }, random) => oneOf(earlier, random) ?? state],
  ["is emptied", (state) => ({ ...state, lines: [], torn: "" })],
  ["is gone", (state) => ({ ...state, isGone: true })],
  ["is back", (state) => ({ ...state, isGone: false })],
  ["is touched", (state) => state],
];

type NamedChange = readonly [name: string, change: Change];

function withLines(
  state: State,
  at: number,
  count: number,
  change: (...lines: string[]) => readonly string[],
): State {
  const start = Math.max(0, at);
  const lines = state.lines.slice(start, start + count);
  return { ...state, lines: state.lines.toSpliced(start, count, ...change(...lines)) };
}

function begun(line: string, random: Random): string {
  return line.slice(0, random.below(line.length));
}

function oneOf<T>(values: readonly T[], random: Random): T | undefined {
  return values[random.below(values.length)];
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // An earlier change made something else of it.
    return undefined;
  }
}

type Place = { readonly fields: Record<string, unknown>; readonly name: string };

function textsIn(value: unknown): readonly Place[] {
  if (typeof value !== "object" || value === null) return [];
  const fields = value as Record<string, unknown>;
  return Object.entries(fields).flatMap(([name, field]) =>
    typeof field === "string" ? (texts.has(name) ? [{ fields, name }] : []) : textsIn(field),
  );
}
