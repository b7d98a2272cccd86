import { derivedHex } from "@pond/canonical/foreign";

/** The name of a sub-agent's file, in the client's form. */
export function agentId(id: string): string {
  return `a${derivedHex("agent", id).slice(0, 16)}`;
}
