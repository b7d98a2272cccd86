import type { JsonObject, Message, Session } from "@pond/canonical";
import { stringifyJson } from "@pond/canonical";
import { derivedUuid, wellFormed } from "@pond/canonical/foreign";
import type { Item } from "./items.ts";

/** The place of a thread among those it is restored with. */
export type ThreadPlace = {
  readonly session: Session;
  readonly thread: string;
  /** The thread at the top of its chain of parents; itself if it has none. */
  readonly mainThread: string;
  readonly title?: string | undefined;
  /** Set for a sub-agent. */
  readonly spawn?: { readonly parentThread: string; readonly depth: number };
  /** Set for a fork: the thread that it came from. */
  readonly forkedFrom?: string;
};

/** The lines of a thread in order: its header, then for each turn the items and their events. */
export function* linesOf(items: readonly Item[], place: ThreadPlace): Generator<string> {
  const write = new LineWriter(place);
  yield write.header();
  if (place.title !== undefined) yield write.title(place.title);
  for (const turn of clientTurns(items)) yield* write.turn(turn);
}

/**
 * Groups what a human asked with everything that came of it; what the model was told before goes
 * into the first group.
 */
function clientTurns(items: readonly Item[]): Item[][] {
  const turns: Item[][] = [];
  for (const item of items) {
    const turn = turns.at(-1);
    const isNext = turn === undefined || (item.isPrompt && !turn.every(isInstruction));
    if (isNext) turns.push([item]);
    else turn.push(item);
  }
  return turns;
}

function isInstruction({ item }: Item): boolean {
  return item["role"] === "developer";
}

class LineWriter {
  readonly #place: ThreadPlace;
  #lastMillis: number;
  #turns = 0;

  constructor(place: ThreadPlace) {
    this.#place = place;
    this.#lastMillis = millisOf(place.session.created_at);
  }

  header(): string {
    const { session, thread, mainThread, spawn, forkedFrom } = this.#place;
    const payload = {
      id: thread,
      session_id: mainThread,
      ...(forkedFrom && { forked_from_id: forkedFrom }),
      ...(spawn && { parent_thread_id: spawn.parentThread }),
      timestamp: new Date(this.#lastMillis).toISOString(),
      cwd: wellFormed(session.project),
      originator: "pond",
      cli_version: version,
      source: spawn ? { subagent: { thread_spawn: spawnOf(spawn) } } : "cli",
      ...(spawn && { thread_source: "subagent" }),
    };
    // Without a provider, the client resumes with whichever is configured.
    return this.#line("session_meta", payload);
  }

  title(name: string): string {
    const { thread } = this.#place;
    const names = { thread_id: thread, thread_name: wellFormed(name) };
    return this.#line("event_msg", { type: "thread_name_updated", ...names });
  }

  /** Without a `turn_context`: the client would continue with its model and its approvals. */
  *turn(items: readonly Item[]): Generator<string> {
    const turn_id = derivedUuid("turn", this.#place.thread, String(this.#turns++));
    const [first] = items;
    if (first) this.#advance(first.message);
    yield this.#line("event_msg", { type: "task_started", turn_id, model_context_window: null });
    let last_agent_message: string | null = null;
    for (const { message, item, events } of items) {
      this.#advance(message);
      yield this.#line("response_item", item);
      for (const event of events) {
        if (event["type"] === "agent_message") last_agent_message = String(event["message"]);
        yield this.#line("event_msg", event);
      }
    }
    yield this.#line("event_msg", { type: "task_complete", turn_id, last_agent_message });
  }

  /** Time never runs backwards in a file of the client. */
  #advance({ timestamp }: Message): void {
    this.#lastMillis = Math.max(this.#lastMillis, millisOf(timestamp));
  }

  #line(type: string, payload: JsonObject): string {
    const timestamp = new Date(this.#lastMillis).toISOString();
    return `${stringifyJson({ timestamp, type, payload })}\n`;
  }
}

function spawnOf({ parentThread, depth }: NonNullable<ThreadPlace["spawn"]>): JsonObject {
  return { parent_thread_id: parentThread, depth, agent_nickname: null, agent_role: null };
}

function millisOf(micros: bigint): number {
  return Number(micros / 1000n);
}

/** The release whose form these lines have. */
const version = "0.169.0";
