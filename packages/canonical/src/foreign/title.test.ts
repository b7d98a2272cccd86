import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import { commandIn, titleFields, titleOf } from "./title.ts";

const carrier = (record: JsonObject, source: JsonObject = {}) => ({
  options: { source: { ...source, record } },
});
const custom = (customTitle: string) => carrier({ type: "custom-title", customTitle });
const made = (aiTitle: string) => carrier({ type: "ai-title", aiTitle });
const thread = (thread_name: string | null) =>
  carrier({ type: "event_msg", payload: { type: "thread_name_updated", thread_name } });
const info = (name: string) => carrier({ type: "session_info", name });
const marked = (titleField: string, record: JsonObject, isTitleChosen = false) =>
  carrier(record, { titleField, ...(isTitleChosen && { isTitleChosen }) });
const header = (record: JsonObject, title?: JsonObject) =>
  carrier({ type: "session", ...record }, title && { title });

describe("titleOf", () => {
  it.each([
    ["a chosen name", [custom("the coupon bug")], ["the coupon bug", true]],
    ["the last of several chosen names", [custom("first"), custom("second")], ["second", true]],
    ["a generated title", [made("Coupons expire early")], ["Coupons expire early", false]],
    [
      "a chosen name, even if a title was generated later",
      [custom("mine"), made("its")],
      ["mine", true],
    ],
    [
      "a generated title if the chosen name was cleared",
      [made("its"), info("x"), info(" ")],
      ["its", false],
    ],
    ["the name of a thread", [thread("issue 6")], ["issue 6", true]],
    ["undefined for a thread whose name was removed", [thread("issue 6"), thread(null)], undefined],
    ["the trimmed name of a pi session", [info(" release ")], ["release", true]],
    [
      "the generated title of a header",
      [header({ title: "eggs", titleSource: "auto" })],
      ["eggs", false],
    ],
    [
      "the title from the line before a header",
      [header({ title: "eggs" }, { type: "title", title: "more eggs", source: "user" })],
      ["more eggs", true],
    ],
    [
      "undefined for an empty title line before a header",
      [header({}, { type: "title", title: "" })],
      undefined,
    ],
    [
      "the title of a session row",
      [carrier({ id: "ses_1", title: "Round the eggs" })],
      ["Round the eggs", false],
    ],
    [
      "undefined for a row with a default title",
      [carrier({ id: "ses_1", title: "New session - 2026-08-11T16:16:00.424Z" })],
      undefined,
    ],
    [
      "undefined for a row with a default title of 0.1",
      [carrier({ id: "ses_1", title: "New Session - 2025-06-20T09:00:00.000Z" })],
      undefined,
    ],
    [
      "the title of a row, whatever other records follow",
      [carrier({ id: "ses_1", title: "Round the eggs" }), carrier({ value: [{ content: "a" }] })],
      ["Round the eggs", false],
    ],
    [
      "the newer title of a row that went on in 2.x",
      [carrier({ id: "ses_1", title: "Eggs" }, { continued: { id: "ses_1", title: "More eggs" } })],
      ["More eggs", false],
    ],
    [
      "the older title of a row that got none in 2.x",
      [carrier({ id: "ses_1", title: "Eggs" }, { continued: { id: "ses_1" } })],
      ["Eggs", false],
    ],
    [
      "the field that is marked as the title",
      [marked("name", { name: " eggs " })],
      ["eggs", false],
    ],
    [
      "a title that is marked as chosen, whatever else the record says",
      [made("its"), marked("name", { type: "ai-title", aiTitle: "no", name: "eggs" }, true)],
      ["eggs", true],
    ],
    [
      "undefined if the marked field is missing",
      [thread("eggs"), marked("name", {}, true)],
      undefined,
    ],
    ["undefined for a row without a title", [carrier({ id: "ses_1", title: null })], undefined],
    [
      "undefined for another record with a title",
      [carrier({ type: "frame-link", title: "a page" })],
      undefined,
    ],
    [
      "undefined for a message that carries no record",
      [{ options: { source: { title: "no" } } }],
      undefined,
    ],
    ["undefined without messages", [], undefined],
  ])("is %s", (_, messages, expected) => {
    const title = titleOf(messages);

    expect(title && [title.text, title.isChosen]).toEqual(expected);
  });

  it("finds one of the title fields in the text of every record with a title", () => {
    const named = [custom("a"), made("a"), thread("a"), info("a"), header({ title: "a" })];
    const texts = [...named, carrier({ title: "a" }), marked("name", { name: "a" })].map((each) =>
      JSON.stringify(each),
    );

    for (const text of texts) {
      expect(titleFields.some((field) => text.includes(field))).toBe(true);
    }
  });
});

describe("commandIn", () => {
  const message = (name: string) => `<command-message>${name}</command-message>`;
  const command = (name: string) => `<command-name>${name}</command-name>`;

  it.each([
    ["a skill", `${message("weave")}\n${command("/weave")}`, "/weave"],
    ["a skill of a plugin", `${message("loom:weave")}\n${command("/loom:weave")}`, "/loom:weave"],
    [
      "a command with a longer message",
      `${message("init is reading…")}\n${command("/init")}`,
      "/init",
    ],
    [
      "a skill with arguments",
      `${message("weave")}\n${command("/weave")}\n<command-args>`,
      "/weave",
    ],
    ["a built-in command", `${command("/clear")}\n${message("clear")}`, undefined],
    ["a skill without a command name", message("weave"), undefined],
    ["a text that quotes a note", `See ${message("weave")}\n${command("/weave")}`, undefined],
    ["a command with an invalid name", `${message("weave")}\n${command("weave it")}`, undefined],
  ])("finds the command's name, if any, in the note of %s", (_, text, expected) => {
    expect(commandIn(text)).toBe(expected);
  });
});
