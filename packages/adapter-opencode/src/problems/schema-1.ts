import { isJsonObject } from "@pond/canonical";
import {
  type Check,
  flag,
  id,
  list,
  number,
  object,
  optional,
  record,
  text,
  time,
  variant,
} from "./shape.ts";

// What `opencode import` of 1.18 accepts: a value of another shape stops it halfway.

const tokens = object({
  total: optional(number),
  input: number,
  output: number,
  reasoning: number,
  cache: object({ read: number, write: number }),
});

const diff = object({
  file: optional(text),
  patch: optional(text),
  additions: number,
  deletions: number,
});

/** The session of an export. Its project, directory and path are replaced, whatever they are. */
export const session: Check = object({
  id: id("ses"),
  slug: text,
  workspaceID: optional(text),
  parentID: optional(id("ses")),
  title: text,
  version: text,
  summary: optional(
    object({ additions: number, deletions: number, files: number, diffs: optional(list(diff)) }),
  ),
  share: optional(object({ url: text })),
  metadata: optional(record),
  cost: optional(number),
  tokens: optional(tokens),
  agent: optional(text),
  model: optional(object({ id: text, providerID: text, variant: optional(text) })),
  revert: optional(object({ messageID: id("msg") })),
  permission: optional(list(object({ permission: text, pattern: text, action: text }))),
  time: object({
    created: time,
    updated: time,
    compacting: optional(time),
    archived: optional(number),
  }),
});

const place = { id: id("msg"), sessionID: id("ses") };

const user = object({
  ...place,
  time: object({ created: time }),
  agent: text,
  model: object({ providerID: text, modelID: text, variant: optional(text) }),
  summary: optional(object({ title: optional(text), body: optional(text), diffs: list(diff) })),
  system: optional(text),
  tools: optional(record),
});

const apiError = object({ data: object({ message: text, isRetryable: flag }) });

const error: Check = (value, path) => [
  ...object({ name: text, data: record })(value, path),
  ...(isJsonObject(value) && value["name"] === "APIError" ? apiError(value, path) : []),
];

const assistant = object({
  ...place,
  time: object({ created: time, completed: optional(time) }),
  parentID: id("msg"),
  modelID: text,
  providerID: text,
  mode: text,
  agent: text,
  path: object({ cwd: text, root: text }),
  summary: optional(flag),
  cost: number,
  tokens,
  finish: optional(text),
  error: optional(error),
});

/** A message of an export. */
export const message: Check = variant("role", { user, assistant });

const partPlace = { id: id("prt"), sessionID: id("ses"), messageID: id("msg") };
const partTime = object({ start: time, end: optional(time) });

/** The place in a prompt where a file or agent is named. */
const mention = object({ value: text, start: number, end: number });
const position = object({ line: number, character: number });

const file = object({
  ...partPlace,
  mime: text,
  filename: optional(text),
  url: text,
  source: optional(
    variant("type", {
      file: object({ text: mention, path: text }),
      symbol: object({
        text: mention,
        path: text,
        range: object({ start: position, end: position }),
        name: text,
        kind: number,
      }),
      resource: object({ text: mention, clientName: text, uri: text }),
    }),
  ),
});

const state = variant("status", {
  pending: object({ input: record, raw: text }),
  running: object({ input: record, time: object({ start: time }) }),
  completed: object({
    input: record,
    output: text,
    title: text,
    metadata: record,
    time: object({ start: time, end: time, compacted: optional(time) }),
    attachments: optional(list(file)),
  }),
  error: object({
    input: record,
    error: text,
    metadata: optional(record),
    time: object({ start: time, end: time }),
  }),
});

/** A part of an export. */
export const part: Check = variant("type", {
  text: object({
    ...partPlace,
    text,
    synthetic: optional(flag),
    ignored: optional(flag),
    time: optional(partTime),
    metadata: optional(record),
  }),
  reasoning: object({ ...partPlace, text, time: partTime, metadata: optional(record) }),
  file,
  tool: object({ ...partPlace, callID: text, tool: text, state, metadata: optional(record) }),
  "step-start": object({ ...partPlace, snapshot: optional(text) }),
  "step-finish": object({ ...partPlace, reason: text, cost: number, tokens }),
  snapshot: object({ ...partPlace, snapshot: text }),
  patch: object({ ...partPlace, hash: text, files: list(text) }),
  agent: object({ ...partPlace, name: text, source: optional(mention) }),
  subtask: object({
    ...partPlace,
    prompt: text,
    description: text,
    agent: text,
    model: optional(object({ providerID: text, modelID: text })),
  }),
  retry: object({ ...partPlace, attempt: number, error: apiError }),
  compaction: object({ ...partPlace, auto: flag }),
});
