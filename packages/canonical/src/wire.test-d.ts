import { expectTypeOf, test } from "vitest";
import type { JsonValue } from "./json.ts";
import type { WireMessage, WirePart, WireSession } from "./wire.ts";

test("wire forms are JSON values", () => {
  expectTypeOf<WireSession>().toExtend<JsonValue>();
  expectTypeOf<WireMessage>().toExtend<JsonValue>();
  expectTypeOf<WirePart>().toExtend<JsonValue>();
});
