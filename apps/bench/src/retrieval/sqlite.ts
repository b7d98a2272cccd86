import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Answer, Retriever } from "./score.ts";
import type { StoredMessage } from "./store.ts";

const sessionLimit = 10;
const rowLimit = 200;
/** The weight of a message beside its session, as measured best (design section 8). */
const messageWeight = 0.5;

type Scores = ReadonlyMap<string, number>;

/** The same texts in SQLite FTS5: each message, and each session as one text. */
export class SqliteHaystack {
  readonly #database = new DatabaseSync(":memory:");
  readonly #isTrigram: boolean;
  readonly #hasStopList: boolean;
  readonly #select: Readonly<Record<Unit, StatementSync>>;

  constructor(
    tokenizer: "unicode61" | "porter unicode61" | "trigram",
    messages: readonly StoredMessage[],
    { hasStopList = false }: { readonly hasStopList?: boolean } = {},
  ) {
    this.#isTrigram = tokenizer === "trigram";
    this.#hasStopList = hasStopList;
    const sessions = [...Map.groupBy(messages, ({ root }) => root)].map(([root, own]) => ({
      root,
      text: own.map(({ text }) => text).join("\n"),
    }));
    const prepare = (unit: Unit, rows: readonly Omit<StoredMessage, "id">[]): StatementSync => {
      const columns = `root UNINDEXED, text, tokenize = "${tokenizer}"`;
      this.#database.exec(`CREATE VIRTUAL TABLE ${unit} USING fts5(${columns})`);
      const insert = this.#database.prepare(`INSERT INTO ${unit} VALUES (?, ?)`);
      this.#database.exec("BEGIN");
      for (const { root, text } of rows) insert.run(root, text);
      this.#database.exec("COMMIT");
      this.#database.exec(`INSERT INTO ${unit}(${unit}) VALUES ('optimize')`);
      return this.#database.prepare(
        `SELECT root, -rank AS score FROM ${unit} WHERE ${unit} MATCH ? ORDER BY rank LIMIT ?`,
      );
    };
    this.#select = { message: prepare("message", messages), session: prepare("session", sessions) };
  }

  /** Ranked OR over one unit, or over both: min-max, half the weight for a message. */
  retriever(unit: Unit | "both"): Retriever {
    return async (question): Promise<Answer> => {
      const words = this.#words(question);
      if (words.length === 0) return { roots: [] };
      if (unit !== "both") return ranked(this.#best(unit, words));
      const [message, session] = [this.#best("message", words), this.#best("session", words)];
      const sums = new Map(minMaxScaled(session));
      for (const [root, score] of minMaxScaled(message)) {
        sums.set(root, (sums.get(root) ?? 0) + messageWeight * score);
      }
      return ranked(sums);
    };
  }

  /** Bytes of one index, without the texts. */
  bytes(unit: Unit): number {
    const row = this.#database.prepare(`SELECT sum(length(block)) AS n FROM ${unit}_data`).get();
    return Number(row?.["n"]);
  }

  close(): void {
    this.#database.close();
  }

  #words(question: string): string[] {
    const words = question.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
    if (this.#isTrigram) return words.filter((word) => [...word].length >= 3);
    const contentWords = words.filter((word) => !stopList.has(word.toLowerCase()));
    return this.#hasStopList && contentWords.length > 0 ? contentWords : words;
  }

  #best(unit: Unit, words: readonly string[]): Scores {
    const match = words.map((word) => `"${word}"`).join(" OR ");
    const best = new Map<string, number>();
    for (const { root, score } of this.#select[unit].all(match, rowLimit)) {
      if (!best.has(String(root))) best.set(String(root), Number(score));
    }
    return best;
  }
}

type Unit = "message" | "session";

function ranked(scores: Scores): Answer {
  const sorted = [...scores].toSorted(([, left], [, right]) => right - left);
  return { roots: sorted.slice(0, sessionLimit).map(([root]) => root) };
}

function minMaxScaled(scores: Scores): [string, number][] {
  const [least, most] = [Math.min(...scores.values()), Math.max(...scores.values())];
  const range = most - least;
  return [...scores].map(([root, score]) => [root, range > 0 ? (score - least) / range : 1]);
}

const stopList = new Set(
  `a an the and or but if then else of at by for with about against between into through during
  before after above below to from up down in out on off over under again further once here there
  when where why how what which who whom whose this that these those all any both each few more
  most other some such no nor not only own same so than too very can could will would shall should
  may might must do does did doing done am is are was were be been being have has had having i me
  my mine we us our ours you your yours he him his she her hers it its they them their theirs as
  until while because just`.split(/\s+/),
);
