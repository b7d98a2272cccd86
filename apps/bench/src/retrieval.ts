// Retrieval quality, lexical only: node --conditions=@pond/source src/retrieval.ts [--part tuning]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { search } from "@pond/search";
import type { SessionStore } from "@pond/sessions";
import { createRandom } from "./random.ts";
import { type Answer, type Retriever, type Score, scoreRetriever } from "./retrieval-score.ts";
import {
  functions,
  hasSets,
  meetings,
  type Question,
  type RetrievalSet,
} from "./retrieval-sets.ts";
import { SqliteHaystack } from "./retrieval-sqlite.ts";
import { openHaystack } from "./retrieval-store.ts";

// Weights are chosen on the tuning half; the report is of the other one.
const splitSeed = 7;
const sessionsAsked = 10;

/** Each is one haystack: short chats, longer ones, and whole meetings beside files of code. */
const haystacks: readonly (() => readonly RetrievalSet[])[] = [
  () => [meetings(25), functions(1)],
  () => [meetings(60), functions(4)],
  () => [meetings(Number.POSITIVE_INFINITY), functions(10)],
];

type Part = "tuning" | "held-out";

function partOf(questions: readonly Question[], part: Part): Question[] {
  const random = createRandom(splitSeed);
  const shuffled = questions
    .map((question) => ({ question, at: random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ question }) => question);
  const half = Math.floor(shuffled.length / 2);
  return part === "tuning" ? shuffled.slice(0, half) : shuffled.slice(half);
}

const namesAsked = 400;

/** Names of functions, as a person would paste them: a message that holds one must come first. */
function names({ sessions }: RetrievalSet): Question[] {
  const holders = new Map<string, Map<string, Set<string>>>();
  for (const { id: session, messages } of sessions) {
    for (const { id: message, text } of messages) {
      for (const [name] of text.matchAll(/(?<![\p{L}\p{N}_])\w+_\w+(?![\p{L}\p{N}_])/gu)) {
        const found = holders.get(name) ?? new Map<string, Set<string>>();
        holders.set(name, found.set(session, (found.get(session) ?? new Set()).add(message)));
      }
    }
  }
  const defined = sessions.flatMap(({ messages }) =>
    messages.flatMap(({ text }) => /def (\w+_\w+)\(/.exec(text)?.[1] ?? []),
  );
  return [...new Set(defined)].slice(0, namesAsked).map((text) => {
    const found = holders.get(text) ?? new Map<string, Set<string>>();
    const messages = [...found.values()].flatMap((ids) => [...ids]);
    return { text, sessions: new Set(found.keys()), messages: new Set(messages) };
  });
}

function pond(sessions: SessionStore): Retriever {
  return async (query): Promise<Answer> => {
    const answer = await search(sessions, { query, limit: sessionsAsked });
    return {
      sessions: answer.sessions.map(({ root_session_id }) => root_session_id),
      messages: answer.sessions.map(({ matches }) => matches.map(({ message_id }) => message_id)),
    };
  };
}

function print(name: string, score: Score): void {
  const { hit1, hit5, hit10, meanReciprocalRank, shown5, zeroHits, p50Ms, p95Ms } = score;
  const hits = [hit1, hit5, hit10].map((each) => each.toFixed(1)).join(" / ");
  const rest = [meanReciprocalRank, shown5, zeroHits].map((each) => each.toFixed(1)).join(" | ");
  console.log(`| ${name} | ${hits} | ${rest} | ${p50Ms.toFixed(1)} / ${p95Ms.toFixed(1)} |`);
}

async function report(part: Part): Promise<void> {
  for (const layOut of haystacks) {
    const sets = layOut();
    const folder = mkdtempSync(join(tmpdir(), "pond-retrieval-"));
    const texts = sets.map(({ sessions }) => sessions);
    const sessions = await openHaystack(join(folder, "store"), texts);
    for (const set of sets) {
      const questions = partOf(set.questions, part);
      console.log(`\n${set.name}: ${questions.length} questions, ${part}\n`);
      console.log("| | hit@1 / 5 / 10 | MRR | shown@5 | no hit | p50 / p95 ms |");
      console.log("|---|---|---|---|---|---|");
      print("pond", await scoreRetriever(questions, pond(sessions)));
      for (const tokenizer of ["unicode61", "trigram"] as const) {
        const sqlite = new SqliteHaystack(tokenizer, texts);
        const retrieve: Retriever = async (question) => ({
          sessions: sqlite.sessions(question, sessionsAsked),
        });
        print(`FTS5 ${tokenizer}`, await scoreRetriever(questions, retrieve));
        sqlite.close();
      }
      const exact = names(set);
      if (exact.length > 0) {
        print(`pond, ${exact.length} exact names`, await scoreRetriever(exact, pond(sessions)));
      }
    }
    sessions.close();
    rmSync(folder, { recursive: true });
  }
}

const { values } = parseArgs({ options: { part: { type: "string", default: "held-out" } } });
if (!hasSets) console.log("no retrieval sets on this machine: POND_RETRIEVAL names their folder");
else await report(values.part === "tuning" ? "tuning" : "held-out");
