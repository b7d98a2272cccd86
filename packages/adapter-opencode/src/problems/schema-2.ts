import {
  anything,
  type Check,
  id,
  list,
  number,
  object,
  oneOf,
  optional,
  record,
  text,
  time,
  variant,
} from "./shape.ts";

/** The session of an export of 2.x. */
export const session: Check = object({
  id: id("ses"),
  projectID: text,
  title: optional(text),
  parentID: optional(id("ses")),
  fork: optional(object({ sessionID: id("ses"), boundary: record })),
  location: object({ directory: text, workspaceID: optional(text) }),
  time: object({ created: time, updated: time }),
});

const place = { id: id("msg"), time: object({ created: time }) };

const tool = object({
  id: text,
  name: text,
  state: variant("status", {
    completed: object({ input: record, content: list(object({ type: text })) }),
    error: object({ input: record, error: record }),
  }),
});

const assistant = object({
  ...place,
  agent: text,
  model: object({ id: text, providerID: text }),
  content: list(variant("type", { text: object({ text }), reasoning: object({ text }), tool })),
  cost: optional(number),
  time: object({ created: time, completed: time }),
});

/** A message of an export of 2.x, in which everything has ended. */
export const message: Check = variant("type", {
  user: object({ ...place, text, files: optional(list(object({ data: text, mime: text }))) }),
  assistant,
  synthetic: object({ ...place, text }),
  system: object({ ...place, text }),
  skill: object({ ...place, name: text, text }),
  shell: object({ ...place, command: text, status: text }),
  compaction: object({ ...place, status: oneOf("completed", "failed"), reason: text }),
  "agent-switched": object({ ...place, agent: text }),
  "model-switched": object({ ...place, model: record }),
  "location-switched": object({ ...place, location: anything }),
  idle: object({ ...place, outcome: oneOf("succeeded", "failed", "interrupted") }),
});
