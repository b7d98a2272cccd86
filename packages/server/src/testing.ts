import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  type IngestEvent,
  type OperationName,
  operations,
  protocolVersion,
  type Requests,
  type Responses,
} from "@pond/wire";
import * as v from "valibot";
import { createHandlers, type Handlers, type HandlersOptions } from "./handlers.ts";
import { type Namespaces, singleNamespace } from "./namespaces.ts";

/** Handlers over a store in a folder of its own, for one test file. */
export type TestPond = {
  readonly folder: string;
  readonly namespaces: Namespaces;
  readonly handlers: Handlers;
  /** Asks with the envelope filled in. @throws where the answer is not all and only what its schema says. */
  ask<Name extends OperationName>(
    operation: Name,
    request: Omit<Requests[Name], "protocol_version">,
  ): Promise<Responses[Name]>;
  remove(): Promise<void>;
};

export function testPond(options: Omit<HandlersOptions, "namespaces"> = {}): TestPond {
  const folder = mkdtempSync(join(tmpdir(), "pond-server-"));
  const namespaces = singleNamespace(join(folder, "store"));
  const now = () => new Date("2026-11-20T00:00:00Z");
  const handlers = createHandlers({ host: "test", now, ...options, namespaces });
  return {
    ...{ folder, namespaces, handlers },
    async ask(operation, request) {
      const answer = await handlers.handle(operation, {
        protocol_version: protocolVersion,
        ...request,
      });
      const known = v.parse(operations[operation].response, answer);
      if (!isDeepStrictEqual(known, answer))
        throw new TypeError(`${operation} answers more than its schema says`);
      return answer;
    },
    async remove() {
      await namespaces.close();
      rmSync(folder, { recursive: true });
    },
  };
}

type Labels = { readonly agent?: string; readonly project?: string; readonly parent?: string };

/** A session in short: texts in turns, the user's first. The n-th is message `m<n>`, part `p`. */
export function chat(
  id: string,
  texts: readonly string[],
  { agent = "claude-code", project = "/work/pond", parent = "" }: Labels = {},
): IngestEvent[] {
  return [
    sessionOf(id, { agent, project, parent }),
    ...texts.flatMap((text, at) => textMessage(id, at, text)),
  ];
}

export function sessionOf(
  id: string,
  { agent = "claude-code", project = "/work/pond", parent = "" }: Labels = {},
): Extract<IngestEvent, { readonly kind: "session" }> {
  return {
    kind: "session",
    session: {
      id,
      ...(parent !== "" && { parent_session_id: parent }),
      source_agent: agent,
      created_at: "2026-01-01T00:00:00.000Z",
      project,
      options: {},
    },
  };
}

/** A message of one text. */
export function textMessage(session: string, at: number, text: string): [IngestEvent, IngestEvent] {
  return [header(session, at), textPart(session, at, text)];
}

export function header(session_id: string, at: number): IngestEvent {
  const timestamp = new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString();
  const role = at % 2 === 0 ? "user" : "assistant";
  return { kind: "message", message: { id: `m${at}`, session_id, timestamp, role, options: {} } };
}

export function textPart(session_id: string, at: number, text: string, id = "p"): IngestEvent {
  const place = { id, session_id, message_id: `m${at}` };
  return {
    kind: "part",
    part: { ...place, type: "text", provenance: "conversational", text, options: {} },
  };
}
