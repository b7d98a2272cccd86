import { type JsonObject, messageFromWire, type SystemMessage } from "@pond/canonical";
import { expect, it } from "vitest";
import { attachedImages, attachedText, reattachedFiles } from "./attached-files.ts";

function attached(attachment: JsonObject): SystemMessage {
  const options = { source: { record: { type: "attachment", attachment } } };
  const place = { id: "m", session_id: "s", timestamp: "2026-03-01T09:00:00.000Z" };
  return messageFromWire({ ...place, role: "system", content: "", options }) as SystemMessage;
}

const file = (content: JsonObject): JsonObject => ({ type: "file", filename: "/w/a", content });

const human = { authority: "human-principal", senderText: "a" };

function polled(...provenance: readonly (JsonObject | null)[]): JsonObject {
  const envelopes = ["<event>a</event>", "<event>b</event>"];
  return { type: "poll_events", envelopes, provenance: [...provenance] };
}

it.each<[string, JsonObject, string]>([
  [
    "a file",
    file({ type: "text", file: { filePath: "/w/a", content: "one\ntwo\n", numLines: 2 } }),
    "/w/a:\none\ntwo\n",
  ],
  ["a picture", file({ type: "image", file: { base64: "iVBORw0KGgo=" } }), "/w/a:\na picture"],
  [
    "a folder",
    { type: "directory", path: "/w", content: "a\nb", displayPath: "w" },
    "What is in the folder /w:\na\nb",
  ],
  ["none for a notebook", file({ type: "notebook", file: { cells: [] } }), ""],
  ["none for a file without a name", { type: "file", content: { file: { content: "x" } } }, ""],
  [
    "polled events",
    polled({ authority: "human-other" }, null),
    "<event>a</event>\n<event>b</event>",
  ],
  ["polled events without the one that a human sent", polled(human, null), "<event>b</event>"],
  ["none for polled events that a human sent", polled(human, human), ""],
  [
    "none for polled events that another row holds",
    { ...polled(null), deliveredVia: "poll_tool" },
    "",
  ],
  ["none for a date change", { type: "date_change", newDate: "2026-03-02" }, ""],
])("gives the text that a model is told of an attachment: %s", (_, attachment, text) => {
  expect(attachedText(attached(attachment))).toBe(text);
});

const png = { base64: "iVBORw0KGgo=", type: "image/png" };

it.each<[string, JsonObject, number]>([
  ["a picture", file({ type: "image", file: png }), 1],
  [
    "none for a picture without a media type",
    file({ type: "image", file: { base64: png.base64 } }),
    0,
  ],
  [
    "none for a picture that is not valid base64",
    file({ type: "image", file: { ...png, base64: "none!" } }),
    0,
  ],
  ["none for a text file", file({ type: "text", file: { content: "x" } }), 0],
  ["none for a date change", { type: "date_change", newDate: "2026-03-02" }, 0],
])("gives the images that a model is shown of an attachment: %s", (_, attachment, count) => {
  const shown = [{ mediaType: png.type, base64: png.base64 }];

  expect(attachedImages(attached(attachment))).toEqual(shown.slice(0, count));
});

it("finds the files that a compaction gave again, but not those given after the next prompt", () => {
  const place = { session_id: "s", timestamp: "2026-03-01T09:00:00.000Z" };
  const carrier = (id: string, record: JsonObject) =>
    messageFromWire({ ...place, id, role: "system", content: "", options: { source: { record } } });
  const attachment = file({ type: "text", file: { content: "one" } });
  const given = (id: string) => carrier(id, { type: "attachment", attachment });
  const typed = {
    id: "0",
    session_id: "s",
    message_id: "typed",
    type: "text" as const,
    text: "go",
  };
  const prompt = messageFromWire({
    ...{ ...place, id: "typed", role: "user", options: {} },
    content: [{ ...typed, provenance: "conversational", options: {} }],
  });
  const boundary = carrier("boundary", { type: "system", subtype: "compact_boundary" });

  const again = reattachedFiles([given("named"), boundary, given("again"), prompt, given("later")]);

  expect([...again].map(({ id }) => id)).toEqual(["again"]);
});
