import { stringifyJson } from "@pond/canonical";
import { jsonSchemas, type OperationName, openApi, operations } from "@pond/wire";
import type { FastifyInstance } from "fastify";
import type { Handlers } from "../index.ts";
import type { Flights } from "./flights.ts";
import type { Intake } from "./intake.ts";
import { addMount, type HttpMount } from "./mount.ts";
import { notReady } from "./refusals.ts";

export type Routes = {
  readonly handlers: Handlers;
  readonly mounts: Readonly<Record<string, HttpMount>>;
  /** @throws Where requests cannot be answered now. */
  readonly checkReady: () => Promise<void>;
  readonly intake: Intake;
  readonly flights: Flights;
};

export const healthPath = "/healthz";
export const readyPath = "/readyz";

/** Puts every route there is onto the app. */
export function addRoutes(app: FastifyInstance, routes: Routes): void {
  const { handlers, mounts, checkReady, intake, flights } = routes;
  for (const name of operationNames()) {
    app.post(operations[name].path, async ({ raw, id: requestId }, reply) => {
      const flight = flights.of(raw);
      const { signal } = flight;
      const work = (body: unknown) => handlers.handle(name, body, { signal, requestId });
      return reply.send(stringifyJson({ ...(await intake.run(name, raw, flight, work)) }));
    });
  }
  for (const [path, mount] of Object.entries(mounts)) addMount(app, path, mount, routes);
  addDocument(app, "/v1/schema", stringifyJson(jsonSchemas()));
  addDocument(app, "/openapi.json", stringifyJson(openApi()));
  addDocument(app, healthPath, '{"status":"ok"}');
  app.get(readyPath, async (_, reply) => {
    await checkReady().catch((cause) => {
      throw notReady(cause);
    });
    return reply.send('{"status":"ready"}');
  });
}

/** What the log calls a request: the operation, or the path that was written here. */
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
