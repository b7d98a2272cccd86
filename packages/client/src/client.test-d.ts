import type {
  GetResponse,
  IngestResponse,
  ListedSession,
  ListResponse,
  MessageView,
  SearchRequest,
  SearchResponse,
  SessionMatches,
  SessionPage,
  ShownMessage,
  StatusResponse,
} from "@pond/wire";
import { expectTypeOf, test } from "vitest";
import { type Client, createClient } from "./client.ts";

declare const client: Client;

test("answers are the wire's own types", () => {
  expectTypeOf(client.search({ query: "q" })).resolves.toEqualTypeOf<SearchResponse>();
  expectTypeOf(client.ingest({ events: [] })).resolves.toEqualTypeOf<IngestResponse>();
  expectTypeOf(client.ingestAll([])).resolves.toEqualTypeOf<IngestResponse>();
  expectTypeOf(client.status()).resolves.toEqualTypeOf<StatusResponse>();
  expectTypeOf(client.searchAll({ query: "q" })).toExtend<AsyncIterable<SessionMatches>>();
  expectTypeOf(client.list()).resolves.toEqualTypeOf<ListResponse>();
  expectTypeOf(client.listAll()).toExtend<AsyncIterable<ListedSession>>();
  expectTypeOf(client.messages("s")).toExtend<AsyncIterable<ShownMessage>>();
});

test("what `get` gives depends on what it is asked", () => {
  const message_id: string | undefined = Math.random() > 0.5 ? "m" : undefined;

  expectTypeOf(client.get({ session_id: "s" })).resolves.toEqualTypeOf<SessionPage>();
  expectTypeOf(
    client.get({ session_id: "s", message_id: "m" }),
  ).resolves.toEqualTypeOf<MessageView>();
  expectTypeOf(client.get({ session_id: "s", message_id })).resolves.toExtend<GetResponse>();
});

test("the client speaks its version alone", () => {
  type Asked = Parameters<Client["search"]>[0];

  expectTypeOf<keyof Asked>().toEqualTypeOf<Exclude<keyof SearchRequest, "protocol_version">>();
});

test("requests that make no sense do not compile", () => {
  // @ts-expect-error `query` is missing
  void client.search({ limit: 3 });
  // @ts-expect-error there is no such field
  void client.search({ query: "q", sesion: "s" });
  // @ts-expect-error no such mode
  void client.get({ session_id: "s", response_mode: "whole" });
  // @ts-expect-error a part is not an event by itself
  void client.ingest({ events: [{ type: "text", text: "hello" }] });
  // @ts-expect-error `url` is missing
  createClient({ retries: 3 });
});
