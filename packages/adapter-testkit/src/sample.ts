import { messageFromWire, type Session, sessionFromWire } from "@pond/canonical";
import type { Lineage, Meanings, SessionContent } from "@pond/canonical/adapter";
import { toolVocabulary } from "@pond/canonical/foreign";

/**
 * A session of no known client with every role and part type, a child and a grandchild.
 *
 * @param ids - Ids of the three; hostile ones test what a writer makes of them.
 */
export function sampleLineage(
  ids: readonly [string, string, string] = ["sample-root", "sample-child", "sample-grandchild"],
): Lineage {
  const [root, child, grandchild] = ids;
  return {
    root: sampleContent(root),
    descendants: [sampleContent(child, root), sampleContent(grandchild, child)],
  };
}

/** What the user says in every sample session; a foreign restore keeps it. */
export const sampleText = 'Why does the loom skip "every" third thread? 織機 🧵';

const tools = toolVocabulary([
  { name: "read_file", kind: "read", fields: { path: "path", offset: "offset" } },
  { name: "run", kind: "shell", fields: { command: "command", timeout_ms: "timeout_ms" } },
  { name: "replace", kind: "edit", fields: { path: "path", old_text: "from", new_text: "to" } },
]);

/** Knows the tools of the sample and of generated sessions, as core knows those of real clients. */
export const sampleMeanings: Meanings = { readTool: (_, call) => tools.read(call) };

function sampleContent(id: string, parent?: string): SessionContent {
  const session: Session = sessionFromWire({
    id,
    ...(parent !== undefined && { parent_session_id: parent }),
    source_agent: "a-client-of-no-adapter",
    created_at: "2026-03-01T09:00:00.000Z",
    project: "/home/ada/loom",
    options: { source: { rest: { version: "1.2.3" } } },
  });
  const messages = drafts.map(({ role, content }, index) => {
    const message = {
      id: `m${index}`,
      session_id: id,
      role,
      timestamp: `2026-03-01T09:00:0${index}.000250Z`,
      options: {},
    };
    if (typeof content === "string") return messageFromWire({ ...message, content });
    const parts = content.map((part, at) => ({
      id: String(at),
      session_id: id,
      message_id: message.id,
      provenance: "conversational",
      options: {},
      ...part,
    }));
    return messageFromWire({ ...message, content: parts });
  });
  return { session, messages };
}

type Draft = { readonly role: string; readonly content: string | readonly object[] };

const call = { call_id: "call-1", name: "read_file" };
const approval = { approval_id: "approval-1" };
const image = { type: "bytes", base64: "iVBORw0KGgo=" };

const drafts: readonly Draft[] = [
  { role: "system", content: "You weave." },
  { role: "system", content: "" },
  {
    role: "user",
    content: [
      { type: "text", text: "<reminder>be brief</reminder>", provenance: "injected" },
      { type: "text", text: sampleText },
      { type: "file", media_type: "image/png", file_name: "thread.png", data: image },
      { type: "file", media_type: "text/html", data: { type: "url", url: "https://example.com/" } },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "The heddle may be bent." },
      { type: "text", text: "Let me look." },
      { type: "tool_call", ...call, params: { path: "heddle.txt" }, provider_executed: false },
      { type: "tool_approval_request", ...approval, tool_call_id: "call-1" },
    ],
  },
  {
    role: "tool",
    content: [
      { type: "tool_approval_response", ...approval, approved: true, reason: "it only reads" },
      { type: "tool_result", ...call, is_failure: false, result: { text: "bent\u0000" } },
      { type: "tool_result", call_id: "call-lost", is_failure: true, result: "no such call" },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "tool_call", ...call, call_id: "web-1", params: [], provider_executed: true },
      { type: "tool_result", ...call, call_id: "web-1", is_failure: false, result: null },
      { type: "text", text: "It is bent." },
    ],
  },
  { role: "user", content: [] },
];
