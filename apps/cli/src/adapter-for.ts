import type { Adapter } from "@pond/canonical/adapter";
import { NoClientError } from "./errors.ts";

/**
 * The adapter that writes a session: that of the client named, else that of its own client.
 *
 * @throws {UnknownAdapterError} for a client there is not.
 * @throws {NoClientError} where none is named, for a session of an agent that was recorded.
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
