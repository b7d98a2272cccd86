import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { adapters } from "@pond/adapters";
import { messageFromWire, parseJson, stringifyJson, toRfc3339 } from "@pond/canonical";
import type { Adapter, Lineage } from "@pond/canonical/adapter";
import { titleOf } from "@pond/canonical/foreign";
import { expect, test } from "vitest";
import { corpusFolder } from "../corpus.ts";
import { type Copy, copyTo, missingFromCopy, problemsIn, readHome } from "./copies.ts";
import { story, storyMeanings } from "./story.ts";

const pairs = adapters.flatMap((from) => adapters.map((to) => ({ from, to })));
const named = pairs.map(({ from, to }) => ({ name: `${from.origin} to ${to.origin}`, from, to }));

/** The story as a client tells it. */
async function toldBy(client: Adapter): Promise<Lineage> {
  const { contents } = await copyTo(client, story(), storyMeanings);
  const [root, ...descendants] = contents.filter((content) => content !== undefined);
  if (root === undefined) throw new Error(`${client.origin} does not read its own story`);
  return { root, descendants };
}

test.each(named)("the sample story is copied from $name without loss", async ({ from, to }) => {
  const original = await toldBy(from);

  const copy = await copyTo(to, original);

  expect(copy.complaints).toEqual([]);
  expect(missingFromCopy(original, copy)).toEqual([]);
  expectGolden(`${from.origin}-to-${to.origin}`, copy);
});

test.each(named)(
  "the name that a person gave a session is copied from $name, unless one of them is phi-core",
  async ({ from, to }) => {
    const called = 'Eggs, "rounded"\n🥚';
    const original = (await copyTo(from, storyCalled(called), storyMeanings)).contents[0];
    const copy = original && (await copyTo(to, { root: original, descendants: [] })).contents[0];

    // phi-core has no session names.
    const isKept = [from, to].every(({ origin }) => origin !== "phi-core");
    expect(titleOf(copy?.messages ?? [])?.text === called).toBe(isKept);
  },
);

/** The story in a session that has a name. */
function storyCalled(customTitle: string): Lineage {
  const { root } = story();
  const name = messageFromWire({
    role: "system",
    id: "name",
    session_id: root.session.id,
    timestamp: toRfc3339(root.session.created_at),
    content: "",
    options: { source: { record: { type: "custom-title", customTitle } } },
  });
  return { root: { ...root, messages: [name, ...root.messages] }, descendants: [] };
}

/** Compares with the reviewed text in `golden/`; `UPDATE=1` writes it. */
function expectGolden(name: string, { files, restored }: Copy): void {
  const golden = resolve("checks/pairs/golden", `${name}.txt`);
  const fidelity = restored.flatMap(({ session, fidelity: counts }) =>
    counts ? [`${session}: ${stringifyJson(counts)}`] : [],
  );
  const texts = [...files].map(([path, bytes]) => `== ${path}\n${readable(path, bytes)}`);
  const text = `${[...fidelity, ...texts].join("\n")}\n`;
  if (process.env["UPDATE"] === "1") {
    mkdirSync(dirname(golden), { recursive: true });
    writeFileSync(golden, text);
  }
  expect(text.split("\n")).toEqual(readFileSync(golden, "utf8").split("\n"));
}

/** The text with a paragraph for each record and a line for each field. */
function readable(path: string, bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString();
  if (path.endsWith(".json")) return outline(text);
  if (!path.endsWith(".jsonl")) return text;
  return text.trimEnd().split("\n").map(outline).join("\n");
}

function outline(json: string): string {
  return JSON.stringify(parseJson(json), null, 1);
}

const corpus = adapters.map((from) => ({ from, home: corpusFolder(from.origin) }));

test.each(
  corpus
    .filter(({ home }) => home !== undefined)
    .map(({ from, home }) => ({ name: from.origin, from, home: home ?? "" })),
)(
  "real sessions of $name are copied to every other client without loss",
  async ({ from, home }) => {
    const { lineages } = await readHome(from, home);
    // A few of them in every run, and all of them on request.
    const chosen = lineages.filter((_, index) => process.env["POND_ALL"] || index % 12 === 0);
    expect(chosen.length).toBeGreaterThan(0);
    const wrong: string[] = [];
    for (const lineage of chosen) {
      for (const to of adapters.filter(({ origin }) => origin !== from.origin)) {
        const copy = await copyTo(to, lineage);
        const found = problemsIn(lineage, copy);
        wrong.push(...found.map((each) => `${lineage.root.session.id} to ${to.origin}: ${each}`));
      }
    }

    expect(wrong).toEqual([]);
  },
  600_000,
);
