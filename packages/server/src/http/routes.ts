import { stringifyJson } from "@pond/canonical";
import { jsonSchemas, type OperationName, openApi, operations } from "@pond/wire";
import type { FastifyInstance } from "fastify";
import type { Handlers } from "../handlers.ts";
import type { InFlightRequests } from "./in-flight.ts";
import type { Intake } from "./intake.ts";
import { addMount, type HttpMount } from "./mount.ts";
import { namespaceFromHeader } from "./namespace-header.ts";
import type { Outbox } from "./outbox.ts";
import { busy } from "./refusals.ts";

export type Routes = {
  readonly handlers: Handlers;
  readonly namespaceHeader: string | undefined;
  readonly mounts: Readonly<Record<string, HttpMount>>;
  /** @throws If requests cannot be answered now. */
  readonly checkReady: () => Promise<void>;
  readonly intake: Intake;
  readonly outbox: Outbox;
  readonly flights: InFlightRequests;
};

export const healthPath = "/healthz";
export const readyPath = "/readyz";

/** Adds every route to the app. */
export function addRoutes(app: FastifyInstance, routes: Routes): void {
  const { handlers, namespaceHeader, mounts, checkReady, intake, outbox, flights } = routes;
  for (const name of operationNames()) {
    app.post(operations[name].path, async ({ raw, id: requestId }, reply) => {
      const flight = flights.of(raw);
      const { signal } = flight;
      const work = async (body: unknown) => {
        const namespace = namespaceHeader && namespaceFromHeader(raw, namespaceHeader);
        return handlers.handle(name, body, { signal, requestId, namespace });
      };
      const answer = await intake.run(name, raw, flight, work);
      const bytes = Buffer.from(stringifyJson({ ...answer }));
      outbox.hold(reply.raw, bytes.length);
      return reply.send(bytes);
    });
  }
  for (const [path, mount] of Object.entries(mounts)) addMount(app, path, mount, routes);
  addDocument(app, "/v1/schema", stringifyJson(jsonSchemas()));
  addDocument(app, "/openapi.json", stringifyJson(openApi()));
  addDocument(app, healthPath, '{"status":"ok"}');
  app.get(readyPath, async (_, reply) => {
    await checkReady().catch((cause) => {
      // Only for the log.
      throw busy("not_ready", { cause });
    });
    return reply.send('{"status":"ready"}');
  });
}

/** The name of a request in the log: the operation, or the path that is defined here. */
export function routeName(path: string | undefined): string {
  return operationNames().find((name) => operations[name].path === path) ?? path ?? "none";
}

function addDocument(app: FastifyInstance, path: string, text: string): void {
  app.get(path, (_, reply) => reply.send(text));
}

function operationNames(): readonly OperationName[] {
  // `operations` has these keys and no others: its type is closed.
  return Object.keys(operations) as OperationName[];
}
