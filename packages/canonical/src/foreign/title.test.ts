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
    ["a name that was chosen", [custom("the coupon bug")], ["the coupon bug", true]],
    ["the last of several", [custom("first"), custom("second")], ["second", true]],
    ["one made up", [made("Coupons expire early")], ["Coupons expire early", false]],
    ["a chosen one before those made up later", [custom("mine"), made("its")], ["mine", true]],
    [
      "one made up where the chosen was taken back",
      [made("its"), info("x"), info(" ")],
      ["its", false],
    ],
    ["of a thread", [thread("issue 6")], ["issue 6", true]],
    ["of a thread whose name is gone", [thread("issue 6"), thread(null)], undefined],
    ["of pi", [info(" release ")], ["release", true]],
    ["of a header", [header({ title: "eggs", titleSource: "auto" })], ["eggs", false]],
    [
      "of the line before a header",
      [header({ title: "eggs" }, { type: "title", title: "more eggs", source: "user" })],
      ["more eggs", true],
    ],
    ["of an empty line before a header", [header({}, { type: "title", title: "" })], undefined],
    ["of a row", [carrier({ id: "ses_1", title: "Round the eggs" })], ["Round the eggs", false]],
    [
      "of a row that is not named yet",
      [carrier({ id: "ses_1", title: "New session - 2026-08-11T16:16:00.424Z" })],
      undefined,
    ],
    [
      "of a row that 0.1 did not name yet",
      [carrier({ id: "ses_1", title: "New Session - 2025-06-20T09:00:00.000Z" })],
      undefined,
    ],
    [
      "of a row, whatever else there is of it",
      [carrier({ id: "ses_1", title: "Round the eggs" }), carrier({ value: [{ content: "a" }] })],
      ["Round the eggs", false],
    ],
    [
      "of a row as it went on in 2.x",
      [carrier({ id: "ses_1", title: "Eggs" }, { continued: { id: "ses_1", title: "More eggs" } })],
      ["More eggs", false],
    ],
    [
      "of a row that was not named again in 2.x",
      [carrier({ id: "ses_1", title: "Eggs" }, { continued: { id: "ses_1" } })],
      ["Eggs", false],
    ],
    ["in the field that is marked", [marked("name", { name: " eggs " })], ["eggs", false]],
    [
      "one that is marked as chosen, whatever else the record says",
      [made("its"), marked("name", { type: "ai-title", aiTitle: "no", name: "eggs" }, true)],
      ["eggs", true],
    ],
    ["none where the marked field is empty", [thread("eggs"), marked("name", {}, true)], undefined],
    ["of a row without a name", [carrier({ id: "ses_1", title: null })], undefined],
    [
      "of another record with a title",
      [carrier({ type: "frame-link", title: "a page" })],
      undefined,
    ],
    ["of a message that carries no record", [{ options: { source: { title: "no" } } }], undefined],
    ["of no messages", [], undefined],
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
    ["one of a plugin", `${message("loom:weave")}\n${command("/loom:weave")}`, "/loom:weave"],
    ["one that says more", `${message("init is reading…")}\n${command("/init")}`, "/init"],
    [
      "one with what it was given",
      `${message("weave")}\n${command("/weave")}\n<command-args>`,
      "/weave",
    ],
    ["a command of the client itself", `${command("/clear")}\n${message("clear")}`, undefined],
    ["no name", message("weave"), undefined],
    ["a text that quotes one", `See ${message("weave")}\n${command("/weave")}`, undefined],
    ["a name that is none", `${message("weave")}\n${command("weave it")}`, undefined],
  ])("finds the command's name, if any, in the note of %s", (_, text, expected) => {
    expect(commandIn(text)).toBe(expected);
  });
});
