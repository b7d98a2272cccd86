import { readdirSync, statSync } from "node:fs";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  partsOf,
  type ReadEvent,
  SourceFault,
  stringifyJson,
  toRfc3339,
} from "@pond/canonical";
import * as seam from "@pond/canonical/adapter";
import * as foreign from "@pond/canonical/foreign";

// An adapter for a client that pond does not know, as somebody else would write it. A log has a
// head, then a line for each message. A tool call and its result are on the line of the message.

const origin = "shuttle";

/** Everything that a registry needs. */
export const shuttle: seam.Adapter = {
  origin,
  homes: ({ home }) => [`${home}/.shuttle`],
  from: fromShuttle,
  to: { origin, writeNative, writeForeign },
  tools: foreign.toolVocabulary([{ name: "sh", kind: "shell", fields: { command: "line" } }]),
  recordRules: { course },
  resume: ({ session, home, files }) => {
    const file = files.find((each) => each.session === session.id);
    return { commands: [["shuttle", "open", `${home}/${file?.path}`]] };
  },
};

function fromShuttle(folder: string): seam.Reader {
  const print = (key: string) => {
    const stats = statSync(`${folder}/${key}`, { throwIfNoEntry: false });
    return stats && `${stats.size} ${stats.mtimeMs}`;
  };
  return {
    origin,
    async *sessions() {
      for (const key of readdirSync(folder).sort()) {
        yield { kind: "source", key, fingerprint: print(key) ?? "", bytes: 0 };
      }
    },
    fingerprint: async (key) => print(key),
    read: (key, _, count) => read(folder, key, count),
  };
}

async function* read(
  folder: string,
  uri: string,
  count: seam.RecordCount | undefined,
): AsyncGenerator<ReadEvent> {
  const toEvents = recordReader(uri);
  const chunks = seam.fileChunks(`${folder}/${uri}`);
  for await (const batch of seam.readRecords(chunks, { adapter: origin, uri }, { count })) {
    for (const outcome of batch) {
      try {
        if (outcome.kind === "record") yield* toEvents(outcome.record);
        else yield outcome;
      } catch (error) {
        if (!(error instanceof SourceFault)) throw error;
        yield { kind: "fault", fault: error };
      }
    }
  }
}

function recordReader(path: string): (record: seam.SourceRecord) => readonly ReadEvent[] {
  const [ids, seen] = [new seam.ContentIds(), new Set<unknown>()];
  let session: ReturnType<typeof seam.sessionEvent> | undefined;
  let anchor: seam.Extracted<bigint> | undefined;
  return (record) => {
    if (!session || !anchor) {
      anchor = record.requireTimestamp("at");
      const [id, project] = [record.requireString("session"), record.requireString("dir")];
      const source = { path, rest: record.rest() };
      const init = { id, sourceAgent: origin, createdAt: anchor, project, source };
      // The session keeps this record, since no message does.
      session = seam.sessionEvent({ ...init, records: 1 });
      return [session];
    }
    const [key, who] = [record.peek("n"), record.peek("who")];
    const isNew = typeof key === "string" && !seen.has(key) && record.peek("at") !== undefined;
    const id = isNew && typeof record.peek("said") === "string" ? record.id("n") : undefined;
    const timestamp = record.timestamp("at");
    const text = id && timestamp && record.string("said");
    if (!id || !timestamp || !text) {
      const titleField = record.peek("called") === undefined ? undefined : "called";
      const source = { titleField };
      const init = { id: ids.next(record), timestamp: timestamp ?? anchor, source };
      return [seam.carrierEvent(session, { ...init, record: record.whole() })];
    }
    seen.add(key);
    const role = who === "loom" ? "assistant" : "user";
    const provenance = who === "harness" ? "injected" : "conversational";
    const run = role === "assistant" ? readRun(record, id) : undefined;
    const message = seam.messageEvent(session, role, {
      id,
      timestamp,
      source: { rest: record.rest() },
    });
    const said = seam.textPart(message, { id: seam.positionId(0), provenance, text });
    return [message, said, ...(run?.(message) ?? [])];
  };
}

type PartsOf = (message: Parameters<typeof seam.textPart>[0]) => readonly ReadEvent[];

function readRun(record: seam.SourceRecord, callId: seam.Extracted<string>): PartsOf | undefined {
  const run = record.record("ran");
  const isWhole = ["tool", "with", "got"].every((key) => run?.peek(key) !== undefined);
  const name = isWhole ? run?.string("tool") : undefined;
  const [params, result] = name ? [run?.json("with"), run?.json("got")] : [];
  if (!name || !params || !result) return undefined;
  return (message) => {
    const call = { callId, name, params, isProviderExecuted: false };
    const answer = { callId, name, result, isFailure: undefined };
    return [
      seam.toolCallPart(message, { id: seam.positionId(1), provenance: "conversational", ...call }),
      seam.toolResultPart(message, { id: seam.positionId(2), provenance: "injected", ...answer }),
    ];
  };
}

function* writeNative({ root, descendants }: seam.Lineage): Generator<seam.RestoredFile> {
  for (const { session, messages } of [root, ...descendants]) {
    const { path, rest } = fields(session.options["source"]);
    const head = { session: session.id, dir: session.project, at: toRfc3339(session.created_at) };
    const records = messages.map((message) => {
      const { record, rest: left } = fields(message.options["source"]);
      if (isJsonObject(record)) return record;
      const { ran, ...others } = fields(left);
      const line: JsonObject = { n: message.id, at: toRfc3339(message.timestamp), ...others };
      const [said, call, answer] = partsOf(message);
      const text = said?.type === "text" ? { said: said.text } : {};
      if (call?.type !== "tool_call" || answer?.type !== "tool_result") {
        return { ...line, ...text, ...(ran !== undefined && { ran }) };
      }
      const run = { tool: call.name, with: call.params, got: answer.result };
      return { ...line, ...text, ran: { ...run, ...fields(ran) } };
    });
    const content = [{ ...head, ...fields(rest) }, ...records].map(lineOf);
    const isName = typeof path === "string" && /^\w[\w.-]*\.jsonl$/.test(path);
    yield { session: session.id, path: isName ? path : nameOf(session.id), content };
  }
}

/** A line may name others that ada took back. */
function course({ messages }: seam.SessionContent): seam.Course {
  const names = messages.flatMap((message) => seam.carriedRecord(message)?.["unpicked"] ?? []);
  return foreign.courseWithout(messages, new Set(messages.filter(({ id }) => names.includes(id))));
}

function* writeForeign(
  { root, descendants }: seam.Lineage,
  meanings: seam.Meanings,
): Generator<seam.RestoredFile> {
  for (const content of [root, ...descendants]) {
    const { session } = content;
    const tally = new foreign.Tally();
    const turns = foreign.turnsOf(content, meanings, tally);
    const lines = turns.flatMap((turn) => linesOf(turn, tally));
    const id = foreign.copyUuid(origin, session.id);
    const head = { session: id, dir: session.project, at: toRfc3339(session.created_at) };
    const records = lines.map((line, index) => ({ n: String(index), ...line }));
    const file = [head, ...records].map(lineOf);
    yield {
      session: session.id,
      path: nameOf(session.id),
      content: file,
      fidelity: tally.fidelity(),
    };
  }
}

function linesOf(turn: foreign.Turn, tally: foreign.Tally): readonly JsonObject[] {
  const at = toRfc3339(turn.message.timestamp);
  const say = (
    who: string,
    said: string,
    type: Parameters<foreign.Tally["count"]>[0],
    rest: JsonObject = {},
  ): readonly JsonObject[] => {
    const isVisible = foreign.hasVisibleText(said) || "ran" in rest;
    tally.count(type, isVisible ? (who === "harness" ? "translated" : "kept") : "dropped");
    return isVisible ? [{ who, at, said, ...rest }] : [];
  };
  return turn.parts.flatMap((part) => {
    switch (part.type) {
      case "system":
        return say("harness", part.text, "system");
      case "orphan":
        return say("harness", foreign.resultText(part.part), "tool_result");
      case "file":
        return say("harness", foreign.fileNote(part), "file");
      case "reasoning":
        return say("harness", "", "reasoning");
      case "text":
        return say(
          turn.kind === "context" ? "harness" : turn.kind === "user" ? "ada" : "loom",
          part.text,
          "text",
        );
      case "call": {
        const own = part.common && shuttle.tools?.write(part.common);
        if (part.result) tally.count("tool_result", "kept");
        const run = { tool: own?.name ?? part.part.name, with: own?.params ?? part.params };
        return say("loom", "", "tool_call", {
          ran: { ...run, got: part.result?.part.result ?? null },
        });
      }
      default:
        return [];
    }
  });
}

function nameOf(id: string): string {
  return `${foreign.derivedHex(id).slice(0, 32)}.jsonl`;
}

function lineOf(record: JsonObject): string {
  return `${stringifyJson(record)}\n`;
}

function fields(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
