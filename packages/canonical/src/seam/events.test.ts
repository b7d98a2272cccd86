import { describe, expect, it } from "vitest";
import { parseJson } from "../json.ts";
import { EventValidator } from "../validate.ts";
import { fileBytes, positionId, splitText, suffixedId } from "./derived.ts";
import * as events from "./events.ts";
import { Extracted, unseal } from "./extracted.ts";
import { openRecord, type SourceRecord } from "./source-record.ts";

const at = { adapter: "demo", uri: "a.jsonl", record: 1 };
const open = (text: string): SourceRecord => openRecord(at, parseJson(text));

const fields =
  open(`{"id":"i","cwd":"/home/ada","at":"2026-01-01T00:00:00.000Z","text":"hi","ok":true,
  "value":{"a":9007199254740993},"url":"https://a"}`);
const id = fields.requireString("id");
const text = fields.requireString("text");
const value = fields.requireJson("value");
const isOk = fields.boolean("ok");
const timestamp = fields.timestamp("at");
const url = fields.url("url");
if (!timestamp || !isOk || !url) throw new TypeError("the fields are there");

const session = events.sessionEvent({
  id,
  sourceAgent: "demo",
  createdAt: timestamp,
  project: fields.requireString("cwd"),
  source: {},
});
const init = { id, timestamp, source: {} };

describe("the events of the seam", () => {
  it("are valid, of every kind", () => {
    const assistant = events.messageEvent(session, "assistant", init);
    const tool = events.messageEvent(session, "tool", { ...init, id: suffixedId(id, "tool") });
    const part = (position: number) =>
      ({ id: positionId(position), provenance: "injected" }) as const;
    const validator = new EventValidator();

    const all = [
      session,
      events.systemMessageEvent(session, { ...init, id: suffixedId(id, "system"), content: text }),
      events.carrierEvent(session, {
        ...init,
        id: suffixedId(id, "carrier"),
        record: fields.whole(),
      }),
      assistant,
      events.textPart(assistant, { ...part(0), text }),
      events.reasoningPart(assistant, { ...part(1), text }),
      events.filePart(assistant, { ...part(2), mediaType: text, fileName: text, content: url }),
      events.filePart(assistant, {
        ...part(3),
        mediaType: undefined,
        content: fileBytes(Buffer.from("hi")),
      }),
      events.toolCallPart(assistant, {
        ...part(4),
        callId: id,
        name: text,
        params: value,
        isProviderExecuted: false,
      }),
      events.toolApprovalRequestPart(assistant, { ...part(5), approvalId: id, toolCallId: id }),
      tool,
      events.toolResultPart(tool, { ...part(0), callId: id, isFailure: undefined, result: value }),
      events.toolResultPart(tool, {
        ...part(1),
        callId: id,
        name: text,
        isFailure: isOk,
        result: value,
      }),
      events.toolApprovalResponsePart(tool, { ...part(2), approvalId: id, isApproved: isOk }),
      events.toolApprovalResponsePart(tool, {
        ...part(3),
        approvalId: id,
        isApproved: isOk,
        reason: text,
      }),
    ];

    for (const event of all) validator.accept(event);
    expect(all).toMatchSnapshot();
  });

  it("leave absent fields and an empty rest out of `options.source`", () => {
    const optionsOf = (source: events.SourceOptions) =>
      events.messageEvent(session, "user", { ...init, source }).message.options;

    expect([
      optionsOf({}),
      optionsOf({ rest: open("{}").rest(), none: undefined }),
      optionsOf({
        rest: open('{"a":1}').rest(),
        split: 3,
        isMeta: false,
        empty: open("{}").rest(),
      }),
    ]).toEqual([{}, {}, { source: { rest: { a: 1 }, split: 3, isMeta: false, empty: {} } }]);
  });
});

describe("a forged value (`model-no-synthesis`)", () => {
  const cast = (forged: unknown) => forged as Extracted<string>;

  it.each([
    ["a plain string", "invented"],
    ["an object of the same shape", { value: "invented" }],
    ["an object of the same prototype", Object.create(Extracted.prototype)],
    ["a proxy of a real value", new Proxy(id, {})],
    ["undefined", undefined],
  ])("is refused if it is %s", (_, forged) => {
    const message = events.messageEvent(session, "user", init);
    const build = () =>
      events.textPart(message, { id, provenance: "conversational", text: cast(forged) });

    expect(build).toThrow(TypeError);
  });

  it("cannot be made by the constructor of a real one", () => {
    expect(() => Reflect.construct(id.constructor, ["invented"])).toThrow(TypeError);
    expect(() => Reflect.construct(id.constructor, ["invented", Symbol("seal")])).toThrow(
      TypeError,
    );
  });

  it("cannot be copied from a real one, which shows nothing of its content", () => {
    expect([Reflect.ownKeys(id), JSON.stringify(id)]).toEqual([[], "{}"]);
  });
});

describe("splitText", () => {
  it("cuts at the offsets into pieces that join to the text (spec 6.5, rule 1)", () => {
    const whole = open('{"t":"<env>x</env>why?"}').requireString("t");

    const pieces = splitText(whole, [0, 12]).map(unseal);

    expect(pieces).toEqual(["", "<env>x</env>", "why?"]);
    expect(pieces.join("")).toBe(unseal(whole));
  });
});
