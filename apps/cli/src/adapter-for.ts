import type { Adapter } from "@pond/canonical/adapter";
import { NoClientError } from "./errors.ts";

/**
 * The adapter that writes a session: the named client's, or its own client's if none is named.
 *
 * @throws {UnknownAdapterError} for an unknown client.
 * @throws {NoClientError} if none is named and the session is one of a recorded agent.
 */
export async function adapterFor(agent: string, to: string | undefined): Promise<Adapter> {
  const { adapterNamed, adapters } = await import("@pond/adapters");
  const known = adapters.map(({ origin }) => origin);
  if (to !== undefined || known.includes(agent)) return adapterNamed(to ?? agent);
  throw new NoClientError(
    `sessions of "${agent}" go back to no client that pond knows: --to CLIENT hands them to one (${known.join(", ")})`,
    { adapter: agent, known },
  );
}
