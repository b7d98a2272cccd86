import type { CallToolResult, Tool as ToolDefinition } from "@modelcontextprotocol/sdk/types.js";
import type { JsonObject } from "@pond/canonical";
import type { OperationName, Responses } from "@pond/wire";
import { readInteger, toRequest } from "./arguments.ts";
import { fitResult } from "./fit-result.ts";
import type { Find } from "./fit-sessions.ts";
import { fitGetReply } from "./get-reply.ts";
import { getText } from "./get-text.ts";
import { fitListReply, listText } from "./list-reply.ts";
import { inputSchema, outputSchema } from "./schemas.ts";
import { fitSearchReply, searchText } from "./search-reply.ts";

/** Asks the handlers for something, on behalf of the caller. */
export type Ask = <Name extends OperationName>(
  operation: Name,
  fields: object,
) => Promise<Responses[Name]>;

export type Tool = {
  readonly definition: ToolDefinition;
  readonly call: (given: Readonly<Record<string, unknown>>, ask: Ask) => Promise<CallToolResult>;
};

/** The most, in UTF-8. What is too long for a reply is cut here. */
const bytesPerCharacter = 3;
const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };
const characters = { min: 2_000, max: 100_000, fallback: 10_000 };
const offsets = { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 };

const maxCharacters: JsonObject = {
  type: "integer",
  minimum: characters.min,
  maximum: characters.max,
  default: characters.fallback,
  description: "Most characters of the reply.",
};
const searchInput = inputSchema("SearchRequest", { max_characters: maxCharacters });
const listInput = inputSchema("ListRequest", { max_characters: maxCharacters });
const getInput = inputSchema("GetRequest", {
  offset: {
    type: "integer",
    minimum: 0,
    description:
      "`next.offset` of the previous reply, which cut something long; left out if `next` has none.",
  },
  max_characters: maxCharacters,
});

const searchTool: Tool = {
  definition: {
    name: "pond_search",
    title: "Search past agent sessions",
    description:
      "Finds messages in past sessions of coding agents (Claude Code, Codex, opencode, pi and others), best first, grouped by session. Use distinctive words, names, error texts or file names. For more, repeat the call with `after` set to the reply's `next`.",
    inputSchema: searchInput,
    outputSchema: outputSchema("SearchResponse", { shortened: { type: "string" } }),
    annotations: { title: "Search past agent sessions", ...annotations },
  },
  call: async (given, ask) => {
    const max = readInteger(given, "max_characters", characters);
    const fields = toRequest(searchInput, ["max_characters"], given);
    const find = pagesOf(ask, "search", fields);
    return fitResult(max, (characters) => fitSearchReply(find, characters), searchText);
  },
};

const listTool: Tool = {
  definition: {
    name: "pond_list",
    title: "List past agent sessions",
    description:
      "Lists past sessions of coding agents, the last active first, with title, folder and times: for the latest session of a project, or what was done lately or at some time. To find something that was said, use pond_search. For more, repeat the call with `after` set to the reply's `next`.",
    inputSchema: listInput,
    outputSchema: outputSchema("ListResponse", {}),
    annotations: { title: "List past agent sessions", ...annotations },
  },
  call: async (given, ask) => {
    const max = readInteger(given, "max_characters", characters);
    const find = pagesOf(ask, "list", toRequest(listInput, ["max_characters"], given));
    return fitResult(max, (characters) => fitListReply(find, characters), listText);
  },
};

/** Asks for pages of any size. A reply that is made again repeats the same request. */
function pagesOf<Name extends "search" | "list">(
  ask: Ask,
  operation: Name,
  fields: object,
): Find<Responses[Name]> {
  const found = new Map<number | undefined, Promise<Responses[Name]>>();
  return (limit) => {
    const known = found.get(limit);
    if (known !== undefined) return known;
    const response = ask(operation, { ...fields, ...(limit !== undefined && { limit }) });
    found.set(limit, response);
    return response;
  };
}

const piece: JsonObject = {
  type: "object",
  description: "A piece of a message, or of a part, that is too long for one reply.",
  properties: {
    id: { type: "string" },
    text: { type: "string" },
    is_json: { type: "boolean" },
    beside: { type: "object", description: "The other fields of that message or part." },
    from: { type: "integer" },
    until: { type: "integer" },
    of: { type: "integer" },
  },
  required: ["id", "text", "is_json", "from", "until", "of"],
};
const next: JsonObject = {
  type: "object",
  description:
    "To read on: set these fields as here, leave out those that are not here, keep all others.",
  properties: {
    after_id: { type: "string" },
    before_id: { type: "string" },
    offset: { type: "integer" },
  },
};

const getTool: Tool = {
  definition: {
    name: "pond_get",
    title: "Read a past agent session",
    description:
      "Reads a stored session page by page, with `from_end` from its end, or, with `message_id`, one message whole with its neighbours. Take ids from pond_search or pond_list. To read on, repeat the call with the fields of the reply's `next`, and without those of `after_id`, `before_id` and `offset` that it lacks.",
    inputSchema: getInput,
    outputSchema: outputSchema("GetResponse", { piece, next, hint: { type: "string" } }),
    annotations: { title: "Read a past agent session", ...annotations },
  },
  call: async (given, ask) => {
    const max = readInteger(given, "max_characters", characters);
    const offset = readInteger(given, "offset", offsets);
    const fields = toRequest(getInput, ["max_characters", "offset"], given);
    const isPieceBack = offset > 0 && fields["before_id"] !== undefined;
    const response = await (isPieceBack
      ? askForMessage(ask, fields)
      : ask("get", { ...fields, limit_bytes: max * bytesPerCharacter }));
    const from = { ...cursorOf(fields), offset };
    return fitResult(
      max,
      (maxCharacters) => fitGetReply(response, { ...from, maxCharacters }),
      getText,
    );
  },
};

/** The message `before_id`, of which a piece was shown: with an offset, it is not passed yet. */
async function askForMessage(
  ask: Ask,
  fields: Readonly<Record<string, unknown>>,
): Promise<Responses["get"]> {
  const { before_id: id, from_end: _, ...session } = fields;
  const before = await ask("get", { ...session, before_id: id, limit_bytes: 1 });
  if (!("messages" in before)) return before;
  const page = { ...session, after_id: before.messages.at(-1)?.id, limit_bytes: 1 };
  return ask("get", page);
}

function cursorOf({ after_id, before_id, from_end }: Readonly<Record<string, unknown>>) {
  return {
    after_id: typeof after_id === "string" ? after_id : undefined,
    isFromEnd: from_end === true || before_id !== undefined,
  };
}

export const tools: readonly Tool[] = [searchTool, listTool, getTool];
