import type { JsonObject, JsonValue } from "@pond/canonical";
import { openRecord } from "@pond/canonical/adapter";
import { describe, expect, it } from "vitest";
import { fromOmp, fromPi } from "./from-pi.ts";
import { header, logName, message, project, readHome, TemporaryHome } from "./home.test-kit.ts";
import { customSpeaker, speakerOf } from "./provenance.ts";
import { cutPrompt, cutSkill } from "./spans.ts";

const at = { adapter: "pi", uri: "a.jsonl", record: 1 };

it.each<[name: string, role: string, fields: JsonObject, kind: string | undefined]>([
  ["a prompt", "user", {}, undefined],
  ["a prompt attributed to the user", "user", { attribution: "user" }, undefined],
  ["a prompt typed while the model worked", "user", { steering: true }, undefined],
  ["a prompt of the harness", "user", { synthetic: true }, "synthetic"],
  ["a prompt attributed to an agent", "user", { attribution: "agent" }, "agent"],
  ["a prompt with a flag of another type", "user", { synthetic: "yes" }, undefined],
  ["an answer", "assistant", {}, undefined],
  ["a developer message", "developer", {}, "developer"],
  ["a developer message attributed to the user", "developer", { attribution: "user" }, "developer"],
  ["a message of an extension", "custom", { customType: "weather" }, "weather"],
  ["a message of an extension of version 2", "hookMessage", { customType: "weather" }, "weather"],
  ["a message of an extension without a type", "custom", {}, "custom"],
  ["a mentioned file", "fileMention", {}, "file-mention"],
  ["a shell command", "bashExecution", {}, "bash"],
  ["a Python program", "pythonExecution", {}, "python"],
  ["a message with an unknown role", "constructor", {}, undefined],
])("classifies %s by its role and fields (`model-part-provenance`)", (_, role, fields, kind) => {
  expect(speakerOf(role, openRecord(at, fields), { isHook: false }).injectedAs).toBe(kind);
});

const args = { name: "weave", args: "a scarf" };

it.each<[name: string, fields: JsonObject, kind: string | undefined, isCut: boolean]>([
  ["a note", { customType: "async-result" }, "async-result", false],
  [
    "a note attributed to an agent",
    { customType: "irc:incoming", attribution: "agent" },
    "irc:incoming",
    false,
  ],
  ["a skill", { customType: "skill-prompt", details: args }, "skill-prompt", false],
  [
    "a skill that a user called",
    { customType: "skill-prompt", attribution: "user", details: args },
    undefined,
    true,
  ],
  [
    "a skill that a user called without arguments",
    { customType: "skill-prompt", attribution: "user" },
    "skill-prompt",
    false,
  ],
  [
    "a prompt of another person",
    { customType: "collab-prompt", attribution: "user" },
    undefined,
    false,
  ],
  ...[
    "ultrathink-notice",
    "orchestrate-notice",
    "workflow-notice",
    "video-attachment",
    "image-attachment-description",
    "background-tan-dispatch",
    "weather",
  ].map((customType): [string, JsonObject, string, boolean] => [
    `a ${customType} for the user`,
    { customType, attribution: "user" },
    customType,
    false,
  ]),
])("classifies %s in a message of an extension", (_, fields, kind, isCut) => {
  const speaker = customSpeaker(openRecord(at, fields));

  expect([speaker.injectedAs, speaker.cut !== undefined]).toEqual([kind, isCut]);
});

/** The text with what was injected in brackets. */
function marked(text: string, spans: ReturnType<typeof cutPrompt>): string {
  let from = 0;
  const pieces = spans.map(({ end, kind }) => {
    const piece = text.slice(from, end);
    from = end;
    return kind === undefined ? piece : `[${kind}:${piece}]`;
  });
  return pieces.join("");
}

const skill = '<skill name="a" location="/s">\nReferences are relative to /.\n\nBody.\n</skill>';
const file = '<file name="/w/a.txt">\none\ntwo\n</file>\n';
const image = '<file name="/w/a.png"></file>\n';
const hint = '<file name="C:\\w\\a.png">[Image: 2x2.]</file>\n';

const notes = [
  "[Image converted from image/bmp to image/png.]",
  "[Image: original 2400x40, displayed at 2000x33. Multiply coordinates by 1.20 to map to original image.]",
].join("\n");
const omitted = "[Image omitted: could not be resized below the inline image size limit.]";
const noted = `<file name="/w/big.bmp">${notes}</file>\n`;

describe("a prompt (spec 6.5, rule 1)", () => {
  it.each([
    ["plain text", "hello", "hello"],
    ["an empty prompt", "", ""],
    ["a skill alone", skill, `[skill:${skill}]`],
    ["a skill and its arguments", `${skill}\n\na scarf\n`, `[skill:${skill}\n\n]a scarf\n`],
    ["a skill with text right after it", `${skill} x`, `${skill} x`],
    [
      "a skill without an end tag",
      '<skill name="a" location="b">\nx',
      '<skill name="a" location="b">\nx',
    ],
    ["a skill in the middle of the text", `see ${skill}`, `see ${skill}`],
    ["a file before the text", `${file}What is it?`, `[file:${file}]What is it?`],
    [
      "several files before the text",
      `${file}${image}${hint}Which?`,
      `[file:${file}${image}${hint}]Which?`,
    ],
    ["piped text before a file", `log\n${file}Why?`, `log\n[file:${file}]Why?`],
    ["an image file alone", image, `[file:${image}]`],
    [
      "an image with two notes, before a file",
      `${noted}${file}Which?`,
      `[file:${noted}${file}]Which?`,
    ],
    ["notes about its images", `Which?\n\n${notes}`, `Which?[image:\n\n${notes}]`],
    ["a note about an omitted image", `Which?\n\n${omitted}`, `Which?[image:\n\n${omitted}]`],
    ["notes about images alone", `\n\n${notes}`, `[image:\n\n${notes}]`],
    [
      "a skill and a note about an image",
      `${skill}\n\n${omitted}`,
      `[skill:${skill}][image:\n\n${omitted}]`,
    ],
    [
      "a skill, its arguments and a note about an image",
      `${skill}\n\na scarf\n\n${omitted}`,
      `[skill:${skill}\n\n]a scarf[image:\n\n${omitted}]`,
    ],
    ["a quoted note", `What is\n\n${omitted} ?`, `What is\n\n${omitted} ?`],
    [
      "a note after one that the user typed",
      `Hm\n\n${omitted}\n\n${omitted}`,
      `Hm\n\n${omitted}[image:\n\n${omitted}]`,
    ],
    ["text in brackets that is no note", "Which?\n\n[Image: a loom]", "Which?\n\n[Image: a loom]"],
    ["a file without an end tag", '<file name="/a">\nx', '<file name="/a">\nx'],
    [
      "a file with a relative name",
      '<file name="a">\nx\n</file>\n',
      '<file name="a">\nx\n</file>\n',
    ],
    [
      "an image tag over several lines",
      '<file name="/a">x\ny</file>\n',
      '<file name="/a">x\ny</file>\n',
    ],
  ])("is cut where the client's words end: %s", (_, text, expected) => {
    expect(marked(text, cutPrompt(text))).toBe(expected);
  });

  it("keeps only the arguments of a skill that omp expanded as typed", () => {
    const text = "# Weave\n\nUser: a scarf\n";

    expect(marked(text, cutSkill(text, "a scarf"))).toBe(
      "[skill-prompt:# Weave\n\nUser: ]a scarf[skill-prompt:\n]",
    );
    expect(marked(text, cutSkill(text, "a hat"))).toBe(`[skill-prompt:${text}]`);
  });

  it.each([
    ["spaces at the ends of lines", "a scarf  \nin red", "a scarf\nin red"],
    ["blank lines", "a scarf\n\n\nin red", "a scarf\nin red"],
    ["a table", "| a | b |\n|:-------|---|\n| 1 | 2 |", "|a|b|\n|:---|---|\n|1|2|"],
    ["arguments that repeat the word before them", "a scarf  \nUser: me", "a scarf\nUser: me"],
  ])("keeps the arguments of a skill as typed if omp reformatted %s", (_, args, written) => {
    const skill = "# Weave\n\nUser: a scarf is woven\nUser: ";

    expect(marked(`${skill}${written}`, cutSkill(`${skill}${written}`, args))).toBe(
      `[skill-prompt:${skill}]${written}`,
    );
  });
});

describe("in the log of a sub-agent that does not say who speaks", () => {
  const home = new TemporaryHome();
  const log = `${project}/${logName("root")}`;
  const side = log.replace(".jsonl", "");
  const reminder = "<system-reminder>\nYou stopped without submitting.\n</system-reminder>\n";
  const begun = [
    { type: "session_init", id: "a0", parentId: null, systemPrompt: "Weave.", task: "a scarf" },
    { type: "custom_message", customType: "plan", id: "a1", parentId: "a0", content: "plan" },
  ];
  const prompt = (id: string, content: JsonValue, fields: JsonObject = {}): JsonValue =>
    message(id, null, { role: "user", content, ...fields });
  const answer = message("a3", "a2", { role: "assistant", content: [] });
  const later = [
    prompt("a4", reminder),
    prompt("a5", [{ type: "text", text: reminder }]),
    prompt("a6", "and a hat"),
    prompt("a7", `${reminder} is what it said`),
    prompt("a8", reminder, { attribution: "user" }),
    prompt("a9", "<system-reminder>"),
  ];

  /** What counts as typed, by session. */
  async function typed(from = fromOmp): Promise<Record<string, readonly string[]>> {
    const { contents } = await readHome(from(home.path));
    const texts = contents.map(({ session, messages }) => {
      const parts = messages.flatMap((each) => (each.role === "user" ? each.content : []));
      const own = parts.filter(({ provenance }) => provenance === "conversational");
      return [session.id, own.map((part) => (part.type === "text" ? part.text : part.type))];
    });
    return Object.fromEntries(texts);
  }

  it("counts the task and the reminders as injected, and a user's prompts as typed", async () => {
    home.put(log, [header("root"), prompt("r1", "weave"), prompt("r2", reminder)]);
    const records = [...begun, prompt("a2", "a scarf"), answer, ...later];
    home.put(`${side}/Alpha.jsonl`, [header("alpha"), ...records]);
    home.put(`${side}/Beta.jsonl`, [header("beta"), ...begun, answer, prompt("a4", "and a hat")]);

    expect(await typed()).toEqual({
      root: ["weave", reminder],
      alpha: ["and a hat", `${reminder} is what it said`, reminder, "<system-reminder>"],
      beta: ["and a hat"],
    });
  });

  it("leaves copies of a session and logs of pi as they are", async () => {
    home.put(log, [header("root"), prompt("a2", "a scarf")]);
    const records = [...begun, prompt("a2", "a scarf")];
    home.put(`${side}/Tan.jsonl`, [header("tan", { parentSession: "root" }), ...records]);

    expect(await typed()).toEqual({ root: ["a scarf"], tan: ["a scarf"] });
    home.put(`${side}/Alpha.jsonl`, [header("alpha"), ...records]);
    expect(await typed(fromPi)).toMatchObject({ alpha: ["a scarf"] });
  });
});
