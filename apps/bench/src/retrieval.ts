// How well search finds: node --conditions=@pond/source src/retrieval.ts [--tuning] [--embedder JSON] [--out FOLDER]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openEmbedder } from "@pond/embed";
import { chatSet } from "./retrieval/chats.ts";
import { measureHaystack } from "./retrieval/measure.ts";
import { ownSet } from "./retrieval/own.ts";
import { type OwnReport, ownReport } from "./retrieval/own-report.ts";
import { pond } from "./retrieval/pond.ts";
import { type HaystackReport, scoreTable, toMarkdown } from "./retrieval/report.ts";
import { askAll, scoreOf } from "./retrieval/score.ts";
import { partOf, type RetrievalSet } from "./retrieval/set.ts";
import { corpusFolder, functionNames, functions, meetings, publicSets } from "./retrieval/sets.ts";
import { type Haystack, openHaystack } from "./retrieval/store.ts";

const { values } = parseArgs({
  options: {
    out: { type: "string", default: resolve(import.meta.dirname, "../reports") },
    /** Settings of an embedder as JSON, such as `{"kind":"folder","folder":"/models/e5"}`. */
    embedder: { type: "string" },
    /** Only prints pond's scores on the tuning half, for choosing weights. */
    tuning: { type: "boolean", default: false },
  },
});

const own = ownSet();
const chats = chatSet();
const folder = publicSets();
const corpus = corpusFolder();
const embedder =
  values.embedder === undefined ? undefined : await openEmbedder(JSON.parse(values.embedder));

/** The same texts as short sessions and as long ones. */
const layouts = [
  { name: "Cut sessions", turns: 25, functions: 1 },
  { name: "Whole sessions", turns: Number.POSITIVE_INFINITY, functions: 10 },
] as const;

type Layout = (typeof layouts)[number];

function setsOf({ turns, functions: perSession }: Layout): RetrievalSet[] {
  const others = chats === undefined ? [own] : [chats, own];
  if (folder === undefined) return others;
  const code = functions(folder, perSession);
  return [meetings(folder, turns), code, functionNames(code), ...others];
}

async function inHaystack(
  sets: readonly RetrievalSet[],
  use: (haystack: Haystack) => Promise<void>,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "pond-retrieval-"));
  try {
    const haystack = await openHaystack(sets, home, { corpus, embedder });
    await use(haystack);
    haystack.sessions.close();
  } finally {
    rmSync(home, { recursive: true });
  }
}

async function printTuning(): Promise<void> {
  for (const layout of layouts) {
    const sets = setsOf(layout);
    await inHaystack(sets, async (haystack) => {
      const runs = [];
      for (const { name, questions } of sets) {
        const asked = await askAll(
          partOf(questions, "tuning"),
          pond(haystack.sessions, { embedder }),
          haystack,
        );
        runs.push({ retriever: name, part: "tuning", score: scoreOf(asked) } as const);
      }
      console.log(`${layout.name}\n\n${scoreTable(runs)}\n`);
    });
  }
}

/** Where a session comes from that is not in our own set. */
function otherSetOf(sets: readonly RetrievalSet[]): (session: string) => string | undefined {
  const names = new Map(sets.flatMap(({ name, sessions }) => sessions.map(({ id }) => [id, name])));
  return (session) => {
    const name = names.get(session) ?? "the corpus";
    return name === own.name ? undefined : `one of ${name}`;
  };
}

async function writeReport(): Promise<void> {
  const haystacks: HaystackReport[] = [];
  const ofOwn: OwnReport[] = [];
  for (const layout of layouts) {
    const sets = setsOf(layout);
    await inHaystack(sets, async (haystack) => {
      const { report, rankings } = await measureHaystack(layout.name, haystack, sets, embedder);
      haystacks.push(report);
      ofOwn.push(ownReport(rankings.get(own.name) ?? new Map(), otherSetOf(sets)));
    });
  }
  const [first = ownReport(new Map(), () => undefined)] = ofOwn;
  const model = embedder?.modelId;
  const command = "node --conditions=@pond/source apps/bench/src/retrieval.ts";
  mkdirSync(values.out, { recursive: true });
  const file = join(values.out, "retrieval.md");
  writeFileSync(file, toMarkdown({ command, model, haystacks, own: first }));
  console.log(`${file}: ${first.misses.length} questions of our own set not answered first`);
}

if (values.tuning) await printTuning();
else await writeReport();
await embedder?.close();
