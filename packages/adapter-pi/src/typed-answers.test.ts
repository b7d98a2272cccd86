import { courseOf, restoredFiles } from "@pond/adapter-testkit";
import { type JsonObject, partsOf } from "@pond/canonical";
import { expect, it } from "vitest";
import { fromOmp } from "./from-pi.ts";
import { header, logName, message, project, readHome, TemporaryHome } from "./home.test-kit.ts";
import { piRecordRules } from "./record-rules.ts";
import { toOmp } from "./to-pi.ts";

const home = new TemporaryHome();
const question = { question: "Which dye?", options: ["Purple", "Red"], multi: false };
const picked = { ...question, selectedOptions: ["Purple"] };
const typed = { ...question, selectedOptions: [], customInput: "of snails" };

it.each<[name: string, tool: string, details: JsonObject, texts: readonly string[]]>([
  ["in place of the given options", "ask", typed, ["of snails"]],
  ["beside a picked option", "ask", { ...picked, note: "a light one" }, ["a light one"]],
  [
    "asked together",
    "ask",
    { results: [typed, { ...picked, note: "soon" }] },
    ["of snails", "soon"],
  ],
  // Where nobody picks in time the client does, and older ones do not say so.
  ["with a picked option only: none", "ask", picked, []],
  ["with an empty text: none", "ask", { ...typed, customInput: "" }, []],
  ["answered in another shape: none", "ask", { customInput: "of snails" }, []],
  ["of another tool: none", "bash", typed, []],
])("finds a user's typed answers to questions %s", async (_, toolName, details, texts) => {
  const content = [{ type: "text", text: "User answered." }];
  const result = {
    role: "toolResult",
    toolCallId: "c",
    toolName,
    content,
    details,
    isError: false,
  };
  const log = `${project}/${logName("s1")}`;
  const call = { type: "toolCall", id: "c", name: toolName, arguments: {} };
  const records = [
    header("s1"),
    message("a1", null, { role: "user", content: "dye it" }),
    message("a2", "a1", { role: "assistant", content: [call] }),
    message("a3", "a2", result),
    message("a4", "a3", { role: "assistant", content: [{ type: "text", text: "well" }] }),
  ];
  home.put(log, records);

  const { contents, lineages } = await readHome(fromOmp(home.path));

  const messages = contents[0]?.messages ?? [];
  const said = messages.filter(({ id }) => id === "a3#said");
  expect(said.map(({ role }) => role)).toEqual(texts.length > 0 ? ["user"] : []);
  expect(said.flatMap(partsOf)).toMatchObject(
    texts.map((text) => ({ text, provenance: "conversational" })),
  );
  const { live } = courseOf(piRecordRules, [...messages]);
  expect(live.filter(({ role }) => role !== "system").map(({ id }) => id)).toEqual([
    ...["a1", "a2", "a3", "a4"],
  ]);
  const [restored] = restoredFiles(
    lineages.flatMap((each) => [...toOmp.writeNative(each)]),
  ).values();
  const lines = Buffer.from(restored ?? "")
    .toString()
    .trimEnd()
    .split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(records);
});
