import type { JsonObject, Message, Session } from "@pond/canonical";
import { partsOf } from "@pond/canonical";
import type {
  Lineage,
  Meanings,
  NativeParent,
  RestoredFile,
  SessionContent,
  Tools,
} from "@pond/canonical/adapter";
import { sourceOf } from "@pond/canonical/adapter";
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
import { idInName, logSuffix, projectFolder, sessionsPrefix, stemOf } from "./layout.ts";
import { lastSegment } from "./log-index.ts";
import { titleSlot } from "./session-file/title-slot.ts";

/** What a client's files are written with. */
export type Target = {
  readonly dialect: Dialect;
  readonly tools: Tools;
  readonly meanings: Meanings;
};

/**
 * Writes sessions of other clients as sessions that this client continues: the conversation in one
 * line, every call with its answer, images, and thinking as plain thinking. omp keeps the files of
 * sub-agents below the session that started them; in pi they are sessions that name it as their
 * origin.
 */
export function* writeForeign(
  target: Target,
  lineage: Lineage,
  parents: readonly NativeParent[] = [],
): Generator<RestoredFile> {
  const family = familyOf(lineage, parents);
  for (const content of [lineage.root, ...lineage.descendants]) {
    const { session } = content;
    const tally = new Tally();
    const log = new LogWriter(target.dialect, session.id);
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
    log.line(header(session, family, target.dialect));
    if (title && !target.dialect.hasTitleSlot) {
      log.entry("session_info", session.created_at, { name: title.text });
    }
    if (isAgent && target.dialect.hasAgents) {
      log.entry("session_init", session.created_at, initOf(content));
    }
    writeTurns(content, { ...target, tally, log });
    const path = pathOf(session, family, target.dialect);
    yield { session: session.id, path, content: log.lines(), fidelity: tally.fidelity() };
  }
}

function header(session: Session, family: Family, dialect: Dialect): JsonObject {
  const origin = originOf(session, family, dialect);
  return {
    type: "session",
    version: 3,
    id: copyUuid(dialect.origin, session.id),
    timestamp: isoTime(session.created_at),
    cwd: session.project,
    ...(origin && { parentSession: origin }),
  };
}

/** omp knows its sub-agents by their place and forks by an id; pi knows either by a path. */
function originOf(session: Session, family: Family, dialect: Dialect): string | undefined {
  const above = family.anyParentOf(session);
  if (above === undefined) return undefined;
  if (!dialect.hasAgents) return pathOf(above, family, dialect);
  if (family.parentOf(session)) return undefined;
  const path = family.nativePath(above);
  if (path === undefined) return copyUuid(dialect.origin, above.id);
  return idInName(lastSegment(path)) ?? above.id;
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

/** Where the log of a session is, the same in every restore. */
function pathOf(session: Session, family: Family, dialect: Dialect): string {
  const owner = dialect.hasAgents ? ownerOf(session, family) : session;
  const native = family.nativePath(owner);
  const log = native ?? newLogPath(owner, dialect);
  if (owner.id === session.id) return log;
  // The sub-agents of a sub-agent are beside it.
  const isBeside = native !== undefined && sourceOf(owner)["artifact"] !== undefined;
  return `${stemOf(log)}${isBeside ? "." : "/"}${agentName(session, owner, family)}${logSuffix}`;
}

function newLogPath(session: Session, { origin }: Dialect): string {
  const time = isoTime(session.created_at).replace(/[:.]/g, "-");
  const folder = `${sessionsPrefix}${projectFolder(session.project)}`;
  return `${folder}/${time}_${copyUuid(origin, session.id)}${logSuffix}`;
}

/** The session below whose log a sub-agent is: the nearest one that omp has, else the topmost. */
function ownerOf(session: Session, family: Family): Session {
  const main = family.mainOf(session);
  let owner = session;
  while (owner.id !== main.id && family.nativePath(owner) === undefined) {
    owner = family.parentOf(owner) ?? main;
  }
  return owner;
}

/** The name of a sub-agent, after those of the sub-agents between its owner and it. */
function agentName(session: Session, owner: Session, family: Family): string {
  const names: string[] = [];
  for (let at: Session | undefined = session; at && at.id !== owner.id; at = family.parentOf(at)) {
    const name = `Agent-${derivedHex("agent", at.id).slice(0, 8)}`;
    if (names.includes(name)) break;
    names.unshift(name);
  }
  // File systems take no longer name; what is above is in the log, too.
  return names.slice(-8).join(".");
}
