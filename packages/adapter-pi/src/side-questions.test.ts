import { courseOf, restoredFiles } from "@pond/adapter-testkit";
import { type JsonObject, partsOf, toRfc3339 } from "@pond/canonical";
import { sourceOf } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { fromOmp } from "./from-pi.ts";
import { header, logName, message, project, readHome, TemporaryHome } from "./home.test-kit.ts";
import { piRecordRules } from "./record-rules.ts";
import { toOmp } from "./to-pi.ts";

const home = new TemporaryHome();
const log = `${project}/${logName("s1")}`;
const file = `${log.replace(".jsonl", "")}/btw-history/entry-a1.json`;
const times = { createdAt: 1_773_648_000_000, updatedAt: 1_773_648_005_000 };
const asked = { question: "Which dye?", answer: "Of snails.", status: "complete", ...times };
const [before, after] = ["2026-03-16T08:00:00.000Z", "2026-03-16T08:00:05.000Z"];

it.each<[name: string, record: JsonObject | string, said: readonly string[]]>([
  ["with its answer", asked, [`user ${before} Which dye?`, `assistant ${after} Of snails.`]],
  [
    "and later ones",
    { ...asked, followUps: [{ ...asked, question: "And red?", answer: "", status: "error" }] },
    [...[`user ${before} Which dye?`, `assistant ${after} Of snails.`], `user ${before} And red?`],
  ],
  ["while it is answered", { ...asked, status: "running" }, [`user ${before} Which dye?`]],
  ["in another form: none", { question: 1, answer: null }, []],
  ["in a file that is cut off: none", '{"question":"Wh', []],
])(
  "finds what a user asked beside the conversation, %s, and tells it to no other model",
  async (_, record, said) => {
    home.put(log, [
      header("s1"),
      message("a1", null, { role: "user", content: "dye it" }),
      message("a2", "a1", { role: "assistant", content: [{ type: "text", text: "well" }] }),
    ]);
    const text = typeof record === "string" ? record : JSON.stringify(record);
    home.put(file, text);

    const { contents, lineages, faults } = await readHome(fromOmp(home.path));

    expect(faults).toEqual([]);
    const messages = contents[0]?.messages ?? [];
    const asides = messages.filter((each) => sourceOf(each)["said"] === "aside");
    expect(
      asides.flatMap((each) =>
        partsOf(each).map((part) => {
          const words = part.type === "text" && part.provenance === "conversational" && part.text;
          return `${each.role} ${toRfc3339(each.timestamp)} ${words}`;
        }),
      ),
    ).toEqual(said);
    const { live } = courseOf(piRecordRules, [...messages]);
    const heard = live.flatMap(partsOf).flatMap((part) => (part.type === "text" ? part.text : []));
    expect(heard).toEqual(["dye it", "well"]);
    const files = restoredFiles(lineages.flatMap((each) => [...toOmp.writeNative(each)]));
    const lines = Buffer.from(files.get(log) ?? "")
      .toString()
      .trimEnd()
      .split("\n");
    expect(lines).toHaveLength(3);
    expect(Buffer.from(files.get(file) ?? "").toString()).toBe(text);
  },
);
