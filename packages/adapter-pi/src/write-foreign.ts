import type { JsonObject, Message, Session } from "@pond/canonical";
import { partsOf } from "@pond/canonical";
import type {
  Lineage,
  ReadTool,
  RestoredFile,
  SessionContent,
  Tools,
} from "@pond/canonical/adapter";
import {
  copyUuid,
  derivedHex,
  type Family,
  familyOf,
  firstCharacters,
  Tally,
  titleOf,
} from "@pond/canonical/foreign";
import type { Dialect } from "./dialect.ts";
import { isoTime, LogWriter } from "./foreign/log.ts";
import { writeTurns } from "./foreign/turns.ts";
import { logSuffix, projectFolder, sessionsPrefix, stemOf } from "./layout.ts";
import { titleSlot } from "./session-file/title-slot.ts";

/** What a client's files are written by. */
export type Target = { readonly dialect: Dialect; readonly tools: Tools };

/**
 * Sessions of other clients as sessions this one goes on with: the conversation in one line, every
 * call with its answer, images, thinking as plain thinking. Of sub-agents omp keeps the files below
 * the session that started them; in pi they are sessions that name it as their origin.
 */
export function* writeForeign(
  target: Target,
  lineage: Lineage,
  readTool: ReadTool,
): Generator<RestoredFile> {
  const family = familyOf(lineage);
  const contents = [lineage.root, ...lineage.descendants];
  const sessions = new Map(contents.map(({ session }) => [session.id, session]));
  for (const content of contents) {
    const { session } = content;
    const tally = new Tally();
    const log = new LogWriter(target.dialect, session.id);
    // In a circle the root's parent is below it.
    const parentId = content === lineage.root ? undefined : session.parent_session_id;
    const above = parentId === undefined ? undefined : sessions.get(parentId);
    const isAgent = family.parentOf(session) !== undefined;
    const title = titleOf(content.messages);
    if (target.dialect.hasTitleSlot) {
      log.line(
        titleSlot(
          isoTime(session.created_at),
          title?.text,
          title && (title.isChosen ? "user" : "auto"),
        ),
      );
    }
    log.line(header(session, above, { target, family, isAgent }));
    if (title && !target.dialect.hasTitleSlot) {
      log.entry("session_info", session.created_at, { name: title.text });
    }
    if (isAgent && target.dialect.hasAgents) {
      log.entry("session_init", session.created_at, initOf(content));
    }
    writeTurns(content, { ...target, readTool, tally, log });
    const path = pathOf(session, family, target.dialect);
    yield { session: session.id, path, content: log.lines(), fidelity: tally.fidelity() };
  }
}

type Placing = { readonly target: Target; readonly family: Family; readonly isAgent: boolean };

function header(
  session: Session,
  above: Session | undefined,
  { target: { dialect }, family, isAgent }: Placing,
): JsonObject {
  // omp knows its sub-agents by their place and forks by an id; pi knows either by a path.
  const isNamed = above !== undefined && !(isAgent && dialect.hasAgents);
  const origin =
    isNamed &&
    (dialect.hasAgents ? copyUuid(dialect.origin, above.id) : pathOf(above, family, dialect));
  return {
    type: "session",
    version: 3,
    id: copyUuid(dialect.origin, session.id),
    timestamp: isoTime(session.created_at),
    cwd: session.project,
    ...(origin && { parentSession: origin }),
  };
}

/** How a sub-agent of omp begins. */
function initOf({ messages }: SessionContent): JsonObject {
  const prompt = messages.find(({ role }) => role === "user");
  const system = messages.find((message) => message.role === "system" && message.content !== "");
  const calls = messages
    .flatMap(partsOf)
    .flatMap((part) => (part.type === "tool_call" ? [part.name] : []));
  return {
    systemPrompt: system?.role === "system" ? system.content : "",
    task: prompt ? textIn(prompt) : "",
    tools: [...new Set(calls)].sort(),
  };
}

function textIn(message: Message): string {
  const texts = partsOf(message).map((part) => (part.type === "text" ? part.text : ""));
  return firstCharacters(texts.join(""), 2000);
}

/** Where the log of a session lies, the same at every restore. */
function pathOf(session: Session, family: Family, dialect: Dialect): string {
  const main = dialect.hasAgents ? family.mainOf(session) : session;
  const time = isoTime(main.created_at).replace(/[:.]/g, "-");
  const folder = `${sessionsPrefix}${projectFolder(main.project)}`;
  const log = `${folder}/${time}_${copyUuid(dialect.origin, main.id)}${logSuffix}`;
  if (main.id === session.id) return log;
  return `${stemOf(log)}/${agentName(session, family)}${logSuffix}`;
}

/** The name of a sub-agent, behind that of the sub-agent that started it. */
function agentName(session: Session, family: Family): string {
  const main = family.mainOf(session);
  const names: string[] = [];
  for (let at: Session | undefined = session; at && at.id !== main.id; at = family.parentOf(at)) {
    const name = `Agent-${derivedHex("agent", at.id).slice(0, 8)}`;
    if (names.includes(name)) break;
    names.unshift(name);
  }
  // File systems take no longer name; what is above stands in the log, too.
  return names.slice(-8).join(".");
}
