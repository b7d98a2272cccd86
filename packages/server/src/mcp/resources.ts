import type { Resource as ResourceDefinition } from "@modelcontextprotocol/sdk/types.js";
import type { JsonObject } from "@pond/canonical";
import type { LabelCounts, StatusResponse } from "@pond/wire";
import { beginningOf, lengthOf } from "./cut.ts";
import { quoteJson, structuredNotice } from "./quoted.ts";
import { type Tool, tools } from "./tools.ts";

type AskStatus = () => Promise<StatusResponse>;

export type Resource = {
  readonly definition: ResourceDefinition;
  readonly read: (status: AskStatus) => Promise<string>;
};

const maxCharacters = 10_000;
const labelChars = 200;

const queryLanguage = `# Searching a pond

A query is a list of words; messages are ranked by how well they fit, and no word is obligatory. "words in quotes" are searched as a phrase. A message must contain a +word, and must not contain a -word. Names, paths, error texts and words of any language are found as they are written. A query without any word, such as an operator or two characters of Chinese, is searched character by character. "did_you_mean" is a similar query: no message holds some of the words that were asked for. "similar_projects" are folders with sessions, above a project of which nothing is stored, or of the same name.

Search covers what people and models said. It does not cover tool calls and their output: pond_get shows them.

Sessions of sub-agents count towards the session above them. At most three matches of a session are shown. Its title is that of the topmost session ("root_session_id"). The "score" of a session compares within one answer only.

Times are RFC 3339, or a date, which means its midnight UTC, or an age before now: 30m, 12h, 7d, 2w. A project includes the folders below it.

# Listing sessions

pond_list shows the last active session first. A session was last active when the last message in it, or in one of its sub-agents, was written. With "since" and "until", the sessions are shown in which something was written within that time, also if they went on later. Sub-agents are counted ("descendants"), not listed; "parent" lists those of one session, and its forks. The title is that of its client, or else the beginning of the first thing said in it.

# Reading a session

response_mode "conversational" (the default) shows what was said, "complete" every message in short, "verbatim" every message whole. With "from_end", the last page comes instead of the first: how the session ended. "before_id" set to the first id of a page gives the page before it. With message_id instead of response_mode, one message is shown with all its parts, and context_depth neighbours on each side. A message marked "revised" is shown as it was last seen in its source.
`;

const schema: Resource = {
  definition: {
    uri: "schema://pond",
    name: "schema",
    title: "Query language and fields",
    description: "How to write a query, and what every field of a request and an answer means.",
    mimeType: "text/markdown",
  },
  read: async () => [queryLanguage, ...tools.map(fieldList)].join("\n"),
};

const stats: Resource = {
  definition: {
    uri: "stats://pond",
    name: "stats",
    title: "What is stored",
    description: "Counts by client and project, and how far the store can be searched by meaning.",
    mimeType: "application/json",
  },
  read: async (status) => quoteJson(boundedStats(await status())),
};

export const resources: readonly Resource[] = [schema, stats];

function fieldList({ definition: { name, inputSchema } }: Tool): string {
  const lines = Object.entries(inputSchema.properties ?? {}).flatMap(([field, schema]) =>
    "description" in schema ? [`- ${field}: ${schema.description}`] : [],
  );
  return `# Fields of ${name}\n\n${lines.join("\n")}\n`;
}

/** Only the largest clients and projects, as many as there is room for. */
function boundedStats({ by_agent, by_project, tables: _, ...status }: StatusResponse): JsonObject {
  const agents = largest(by_agent, maxCharacters / 5);
  const projects = largest(by_project, maxCharacters / 2);
  return {
    notice: structuredNotice,
    ...status,
    by_agent: agents,
    by_project: projects,
    more_agents: Object.keys(by_agent).length - Object.keys(agents).length,
    more_projects: Object.keys(by_project).length - Object.keys(projects).length,
  };
}

function largest(
  counts: Readonly<Record<string, LabelCounts>>,
  room: number,
): Readonly<Record<string, LabelCounts>> {
  const sorted = Object.entries(counts).toSorted(
    ([, left], [, right]) => right.messages - left.messages,
  );
  let left = room;
  const shown = sorted
    .map(([name, count]) => [beginningOf(name, labelChars), count] as const)
    .filter((entry) => {
      left -= lengthOf(entry);
      return left >= 0;
    });
  return Object.fromEntries(shown);
}
