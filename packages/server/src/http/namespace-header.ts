import type { IncomingMessage } from "node:http";
import { WireError } from "@pond/wire";

/**
 * The namespace that what stands in front says in a header, in lower case.
 *
 * @throws {WireError} `namespace_unknown` where the request comes without it.
 */
export function namespaceSaid(
  { headers }: Pick<IncomingMessage, "headers">,
  header: string,
): string {
  const namespace = headers[header]?.toString();
  if (namespace) return namespace;
  const message = `the request has no header ${header}, which names the namespace and is required here`;
  throw new WireError("namespace_unknown", message, { header });
}
