import { expectTypeOf, test } from "vitest";
import type { MessageEvent, Part, PartId, Session } from "../index.ts";
import * as seam from "./index.ts";

declare const session: ReturnType<typeof seam.sessionEvent>;
declare const message: MessageEvent;
declare const id: seam.Extracted<string>;
declare const text: seam.Extracted<string>;
declare const maybe: seam.Extracted<string> | undefined;
declare const timestamp: seam.Extracted<bigint>;

test("a literal reaches no canonical field (`model-no-synthesis`)", () => {
  // @ts-expect-error an id is extracted
  seam.textPart(message, { id: "m1", provenance: "conversational", text });
  // @ts-expect-error a text is extracted
  seam.textPart(message, { id, provenance: "conversational", text: "unknown" });
  // @ts-expect-error no default stands in for a missing value
  seam.textPart(message, { id, provenance: "conversational", text: maybe ?? "unknown" });
  // @ts-expect-error a field that may be missing is asked for first
  seam.textPart(message, { id, provenance: "conversational", text: maybe });
  // @ts-expect-error a time is extracted
  seam.messageEvent(session, "user", { id, timestamp: 0n, source: {} });
  // @ts-expect-error an object of the same shape is not extracted
  seam.systemMessageEvent(session, { id, timestamp, source: {}, content: { value: "text" } });
  // @ts-expect-error a record is extracted
  seam.carrierEvent(session, { id, timestamp, source: {}, record: { a: 1 } });
  // @ts-expect-error what is left over is extracted
  seam.messageEvent(session, "user", { id, timestamp, source: { rest: { a: 1 } } });
});

test("nobody outside the seam makes or opens a sealed value", () => {
  // @ts-expect-error the constructor is private
  new seam.Extracted("text");
  // @ts-expect-error sealing is not exported
  seam.seal("text");
  // @ts-expect-error opening is not exported
  seam.unseal(text);
  // @ts-expect-error the class is exported as a type only
  expectTypeOf(seam.Extracted).toBeFunction();
});

test("a Part without provenance does not compile (`adapter-provenance-required`)", () => {
  // @ts-expect-error `provenance` is missing
  seam.textPart(message, { id, text });
  // @ts-expect-error `provenance` has no undefined
  seam.textPart(message, { id, provenance: undefined, text });
  // @ts-expect-error `provenance` is one of two words
  seam.textPart(message, { id, provenance: "unknown", text });
});

test("a record holds values of JSON, and bytes for a file", () => {
  const at = { adapter: "demo", uri: "demo.db", record: 1 };
  seam.openRecord(at, { id: "m1", time: 1, file: new Uint8Array() });
  // @ts-expect-error JSON has no bigint: text of it is parsed
  seam.openRecord(at, { id: 9007199254740993n });
  // @ts-expect-error a date would come back as a text
  seam.openRecord(at, { time: new Date() });
});

test("a sealed value keeps its type", () => {
  // @ts-expect-error a number is no text
  const wrong: seam.Extracted<string> = null as unknown as seam.Extracted<number>;
  expectTypeOf(wrong).toEqualTypeOf<seam.Extracted<string>>();
});

test("ids are branded, and parts told apart by their type", () => {
  expectTypeOf<string>().not.toExtend<PartId>();
  expectTypeOf<Session["id"]>().not.toExtend<PartId>();
  expectTypeOf<Extract<Part, { type: "tool_result" }>["name"]>().toEqualTypeOf<
    string | undefined
  >();
});
