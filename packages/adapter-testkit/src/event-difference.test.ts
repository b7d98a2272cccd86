import { expect, it } from "vitest";
import { expectSameEvents } from "./event-difference.ts";

const session = 'session {"id":"loom"}';
const message = 'message {"id":"m1","role":"user"}';
const part = 'part {"id":"0","message_id":"m1","options":{"rest":{"x":1}}}';

it.each([
  [[session, message], [session], "log, event 2: message m1 is missing"],
  [[session], [session, message], "log, event 2: message m1 is there and should not be"],
  [[message], [part], "log, event 1: part 0 of message m1 stands in place of message m1"],
  [
    [part],
    [part.replace("1}", "2}")],
    "log, event 1: part 0 of message m1: options.rest.x is 2 instead of 1",
  ],
])("says where %j and %j differ", (expected, actual, difference) => {
  expect(() => expectSameEvents(expected, actual, "log")).toThrow(difference);
});

it("accepts equal events", () => {
  expect(() => expectSameEvents([session, part], [session, part], "log")).not.toThrow();
});
