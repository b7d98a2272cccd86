import type * as canonical from "@pond/canonical";
import type * as search from "@pond/search";
import type * as sessions from "@pond/sessions";
import type * as wire from "@pond/wire";
import { expectTypeOf, test } from "vitest";

// What packages answer is what the wire says, field for field: a field that one of them gains and
// the other does not is found here.

test("search asks and answers what the wire says, but for what is the operator's", () => {
  type Asked = Omit<wire.SearchRequest, keyof wire.Envelope>;
  expectTypeOf<keyof Asked>().toEqualTypeOf<Exclude<keyof search.SearchRequest, "explain">>();
  expectTypeOf<Asked>().toExtend<search.SearchRequest>();
  type Answered = Omit<search.SearchResponse, "explanation">;
  expectTypeOf<Answered>().toExtend<wire.SearchResponse>();
  expectTypeOf<wire.SearchResponse>().toExtend<Answered>();
  expectTypeOf<keyof wire.SearchMatch>().toEqualTypeOf<keyof search.SearchMatch>();
  expectTypeOf<keyof wire.SessionMatches>().toEqualTypeOf<keyof search.SessionMatches>();
});

test("get answers what the wire says", () => {
  expectTypeOf<sessions.SessionPage>().toExtend<wire.SessionPage>();
  expectTypeOf<sessions.MessageView>().toExtend<wire.MessageView>();
  expectTypeOf<keyof wire.SessionPage>().toEqualTypeOf<keyof sessions.SessionPage>();
  expectTypeOf<Exclude<keyof wire.MessageView, "context_cut">>().toEqualTypeOf<
    keyof sessions.MessageView
  >();
  expectTypeOf<keyof wire.ShownMessage>().toEqualTypeOf<keyof sessions.ShownMessage>();
  expectTypeOf<wire.PartSummary>().toEqualTypeOf<sessions.PartSummary>();
});

test("status answers what the wire says", () => {
  type Own = "namespace" | "embedding" | "advice";
  expectTypeOf<sessions.Statistics>().toExtend<Omit<wire.StatusResponse, Own>>();
  expectTypeOf<Omit<wire.StatusResponse, Own>>().toExtend<sessions.Statistics>();
});

test("canonical objects are those of the wire", () => {
  expectTypeOf<canonical.WireSession>().toExtend<wire.WireSession>();
  expectTypeOf<canonical.WirePart>().toExtend<wire.WirePart>();
  expectTypeOf<keyof wire.WireSession>().toEqualTypeOf<keyof canonical.WireSession>();
  expectTypeOf<wire.WirePart["type"]>().toEqualTypeOf<canonical.PartType>();
});
