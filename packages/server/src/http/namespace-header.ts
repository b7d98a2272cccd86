import type { IncomingMessage } from "node:http";
import { WireError } from "@pond/wire";

/**
 * The namespace that a proxy in front names in a header, whose name is in lower case.
 *
 * @throws {WireError} `namespace_unknown` if the request lacks the header.
 */
export function namespaceFromHeader(
  { headers }: Pick<IncomingMessage, "headers">,
  header: string,
): string {
  const namespace = headers[header]?.toString();
  if (namespace) return namespace;
  const message = `the request has no header ${header}, which names the namespace and is required here`;
  throw new WireError("namespace_unknown", message, { header });
}
