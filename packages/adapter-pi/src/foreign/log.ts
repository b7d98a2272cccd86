import type { JsonObject, JsonValue, Micros } from "@pond/canonical";
import { derivedHex, wellFormedJson } from "@pond/canonical/foreign";
import type { Dialect } from "../dialect.ts";
import type { UsedModel } from "./model.ts";

/** Assembles the entries of one log: each is the child of the one before. */
export class LogWriter {
  readonly #dialect: Dialect;
  readonly #session: string;
  readonly #ids: Set<string> = new Set();
  readonly #lines: string[] = [];
  #parent: string | null = null;
  #model: UsedModel | undefined;

  constructor(dialect: Dialect, session: string) {
    this.#dialect = dialect;
    this.#session = session;
  }

  /** The model of the last answer. */
  get model(): UsedModel | undefined {
    return this.#model;
  }

  /** Adds a line without a place in the tree. */
  line(record: JsonObject): void {
    this.#lines.push(`${wellFormedJson(record)}\n`);
  }

  entry(type: string, timestamp: Micros, fields: JsonObject): void {
    const id = this.#nextId();
    const parentId = this.#parent;
    this.#parent = id;
    this.line({ type, id, parentId, timestamp: isoTime(timestamp), ...fields });
  }

  message(timestamp: Micros, message: Readonly<Record<string, JsonValue>>): void {
    this.entry("message", timestamp, { message: { ...message, timestamp: millis(timestamp) } });
  }

  /** What a human typed. */
  prompt(timestamp: Micros, content: readonly JsonObject[]): void {
    this.message(timestamp, { role: "user", content, ...this.#attributionOf("user") });
  }

  /** Text of the harness, which is given to the model and which no human typed. */
  context(timestamp: Micros, content: readonly JsonObject[]): void {
    const fields = { customType: "restored-context", content, display: false };
    this.entry("custom_message", timestamp, { ...fields, ...this.#attributionOf("agent") });
  }

  /** Notes the model that answers next, if it is another one. */
  setModel(timestamp: Micros, used: UsedModel): void {
    const { model, provider } = used;
    if (this.#model?.model === model && this.#model.provider === provider) return;
    this.#model = used;
    const isJoined = this.#dialect.modelName === "joined";
    const fields = isJoined
      ? { model: `${provider}/${model}`, role: "default" }
      : { provider, modelId: model };
    this.entry("model_change", timestamp, fields);
  }

  lines(): readonly string[] {
    return this.#lines;
  }

  /** omp says for each message on whose behalf it was sent. */
  #attributionOf(attribution: "user" | "agent"): JsonObject {
    return this.#dialect.modelName === "joined" ? { attribution } : {};
  }

  #nextId(): string {
    const hex = derivedHex(this.#session, String(this.#ids.size));
    let id = hex.slice(0, 8);
    for (let length = 9; this.#ids.has(id); length++) id = hex.slice(0, length);
    this.#ids.add(id);
    return id;
  }
}

/** The form in which the clients write times, without microseconds. */
export function isoTime(time: Micros): string {
  return new Date(millis(time)).toISOString();
}

function millis(time: Micros): number {
  return Number(time / 1000n);
}
