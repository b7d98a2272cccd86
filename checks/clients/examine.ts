import { existsSync, globSync, mkdtempSync } from "node:fs";
import { basename, join } from "node:path";
import { adapters } from "@pond/adapters";
import { type JsonValue, jsonEqual, type Message, messageToWire, partsOf } from "@pond/canonical";
import type { Lineage, Origin, SessionContent } from "@pond/canonical/adapter";
import { loadLineage, rootIds } from "@pond/sessions";
import { differences, recordsOf } from "../e2e/compare.ts";
import { copyTo, problemsIn } from "../pairs/copies.ts";
import { activeMessages } from "../pairs/session-texts.ts";
import { type Generated, task } from "./generated.ts";
import { unknownRecords } from "./known-records.ts";
import { stubAnswer } from "./model-stub.ts";
import { comparable } from "./opencode.ts";
import { contentsOf, restoreHome, type StoredHome, storeHome } from "./stored.ts";

/** The result for sessions that a real client had just made. */
export type Examination = {
  readonly sessions: number;
  readonly messages: number;
  readonly calls: number;
  /** How many sessions got the task of a helper. */
  readonly helpers: number;
  /** The typed texts of each session in which any were typed. */
  readonly conversations: readonly (readonly string[])[];
  /** Everything that differs from the original, or is unknown. */
  readonly problems: readonly string[];
  /** Data that is not kept, and is reported as such. */
  readonly notes: readonly string[];
};

/** Stores a client's sessions, restores them, translates them, and checks everything. */
export async function examine(
  origin: Origin,
  generated: Generated,
  temporary: string,
): Promise<Examination> {
  const stored = await storeHome(origin, generated.folder, temporary);
  const lineages = await lineagesIn(stored);
  const contents = lineages.flatMap(contentsOf);
  const restored = mkdtempSync(join(temporary, "home-"));
  await restoreHome(stored, restored);
  const notes = stored.remarks.filter((remark) => remark.endsWith(missingProject));
  const messages = contents.flatMap((content) => content.messages);
  return {
    sessions: contents.length,
    messages: messages.length,
    calls: messages.flatMap(partsOf).filter(({ type }) => type === "tool_call").length,
    helpers: contents.filter(isHelper).length,
    conversations: contents.map(typedTexts).filter(({ length }) => length > 0),
    problems: [
      ...stored.remarks.filter((remark) => !notes.includes(remark)),
      ...unknownRecords(origin, messages).map((kind) => `unknown record: ${kind}`),
      ...typedTextProblems(contents, generated, notes.length > 0),
      ...orphanSubAgents(lineages),
      ...(await restoreDifferences(origin, generated, restored, notes)),
      ...(await rereadDifferences(origin, contents, generated.folder, restored, temporary)),
      ...(await translationProblems(origin, lineages)),
    ],
    notes,
  };
}

/** There is no session without a project, and a client may have noted no directory. */
const missingProject = "(`model-project-non-empty`)";

async function lineagesIn({ sessions }: StoredHome): Promise<readonly Lineage[]> {
  return Promise.all((await rootIds(sessions)).map((id) => loadLineage(sessions, id)));
}

/** A model gives a sub-agent its task, which some clients count as typed. */
function typedTexts({ messages }: SessionContent): readonly string[] {
  const texts = conversationTexts(messages, "user");
  return texts.includes(task) && texts.every((text) => text === task)
    ? []
    : texts.filter((text) => text !== task);
}

function isHelper({ messages }: SessionContent): boolean {
  return messages.flatMap(partsOf).some((part) => part.type === "text" && part.text.includes(task));
}

/** The conversational texts of a role, in order. */
function conversationTexts(messages: readonly Message[], role: Message["role"]): string[] {
  return messages
    .filter((message) => message.role === role)
    .flatMap(partsOf)
    .flatMap((part) =>
      part.type === "text" && part.provenance === "conversational" ? [part.text.trim()] : [],
    );
}

/** Texts that count as typed but were not, and texts that were typed but do not count so. */
function typedTextProblems(
  contents: readonly SessionContent[],
  { typed, tried }: Generated,
  isPartial: boolean,
): string[] {
  const found = contents.filter((content) =>
    typedTexts(content).some((text) => tried.includes(text)),
  );
  const counted = new Set(found.flatMap(typedTexts));
  return [
    ...typed
      .filter((text) => !isPartial && !counted.has(text))
      .map((text) => `was typed, and does not count so: ${text}`),
    ...found.flatMap((content) => [
      ...neverTyped(typedTexts(withActiveMessages(content)), tried).map(
        (text) => `counts as typed: ${text}`,
      ),
      ...[...new Set(conversationTexts(withActiveMessages(content).messages, "assistant"))]
        .filter((text) => text !== stubAnswer)
        .map((text) => `counts as said by the model: ${text}`),
    ]),
  ];
}

/**
 * A session as its client continues it: when some releases resume, they repeat earlier texts, and
 * some keep texts to and from sub-agents in the log of the session.
 */
function withActiveMessages(content: SessionContent): SessionContent {
  return { ...content, messages: activeMessages(content) };
}

/** Texts that were not typed there, or not in this order. */
function neverTyped(texts: readonly string[], tried: readonly string[]): string[] {
  let next = 0;
  return texts.filter((text) => {
    const at = tried.indexOf(text, next);
    if (at >= 0) next = at + 1;
    return at < 0;
  });
}

/** Sub-agents without a parent. */
function orphanSubAgents(lineages: readonly Lineage[]): string[] {
  return lineages
    .filter(({ root }) => isHelper(root) && typedTexts(root).length === 0)
    .map(({ root }) => `a sub-agent below nothing: ${root.session.id}`);
}

/** Where restored files, or the client's exports, differ from the originals. */
async function restoreDifferences(
  origin: Origin,
  { folder, exported }: Generated,
  restored: string,
  notes: readonly string[],
): Promise<string[]> {
  const isDatabase = globSync("*.db", { cwd: folder }).length > 0;
  if (exported && isDatabase) {
    const wrong: string[] = [];
    // A release of 1.x does not export data that it keeps in tables of 2.x.
    const files = globSync("**/*.json", { cwd: restored }).filter(
      (each) => !/\.2\.json$/.test(each),
    );
    for (const file of files) {
      const whole = comparable(await exported(basename(file, ".json")));
      const own = recordsOf(join(restored, file)).map(comparable);
      if (!jsonEqual(own, [whole])) wrong.push(`${file}: not what the client exports`);
    }
    return wrong;
  }
  const isUnrestorable = (file: string): boolean =>
    notes.some((note) => note.includes(`${file}:`)) ||
    (existsSync(join(folder, file)) && recordsOf(join(folder, file)).length === 0);
  return differences(folder, restored, origin)
    .filter((line) => sessionFiles.test(line))
    .filter((line) => !isUnrestorable(line.slice(0, line.indexOf(": "))));
}

/** Files of sessions, without lists of sessions. */
const sessionFiles =
  /^(?:sessions|projects(?!.*\/sessions-index\.json:)|storage\/(?:session|message|part)|project\/[^/]+\/storage\/session)\//;

/** Where restored sessions read differently from those read first. */
async function rereadDifferences(
  origin: Origin,
  contents: readonly SessionContent[],
  folder: string,
  restored: string,
  temporary: string,
): Promise<string[]> {
  const again = await storeHome(origin, restored, temporary);
  const found = new Map(
    (await lineagesIn(again)).flatMap(contentsOf).map((content) => [content.session.id, content]),
  );
  return contents.flatMap((content) => {
    const other = found.get(content.session.id);
    if (other === undefined) return [`${content.session.id}: not in what was restored`];
    const [own, theirs] = [linesOf(content), linesOf(other, restored, folder)];
    const at = own.findIndex((line, index) => !jsonEqual(line, theirs[index] ?? null));
    if (at < 0 && own.length === theirs.length) return [];
    const line = JSON.stringify(own[at] ?? theirs.at(-1));
    return [`${content.session.id}: restored, another message ${at}: ${line.slice(0, 500)}`];
  });
}

/** Messages as JSON, as if they came from another folder. */
function linesOf({ messages }: SessionContent, from = "", to = ""): readonly JsonValue[] {
  return messages.map((message) => {
    const text = JSON.stringify(messageToWire(message));
    return JSON.parse(from === "" ? text : text.replaceAll(from, to));
  });
}

/** What is wrong with sessions in the form of every other client. */
async function translationProblems(
  origin: Origin,
  lineages: readonly Lineage[],
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const lineage of lineages) {
    for (const target of adapters.filter((adapter) => adapter.origin !== origin)) {
      const found = problemsIn(lineage, await copyTo(target, lineage));
      wrong.push(...found.map((each) => `${lineage.root.session.id} to ${target.origin}: ${each}`));
    }
  }
  return wrong;
}
