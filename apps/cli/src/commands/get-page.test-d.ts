import type { GetResponse, ShownMessage } from "@pond/client";
import type { SessionPage } from "@pond/sessions";
import type { SharedSession } from "@pond/share";
import { expectTypeOf, test } from "vitest";

test("a page is made of what a store holds, and of what a running pond answers", () => {
  expectTypeOf<SessionPage>().toExtend<SharedSession>();
  type Answered = Pick<GetResponse, "session"> & { messages: AsyncGenerator<ShownMessage, void> };
  expectTypeOf<Answered>().toExtend<SharedSession>();
});
