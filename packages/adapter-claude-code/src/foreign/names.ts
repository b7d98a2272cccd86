import { derivedHex } from "@pond/canonical/foreign";

/** The name of a sub-agent's file, as the client makes them. */
export function agentId(id: string): string {
  return `a${derivedHex("agent", id).slice(0, 16)}`;
}

/** A tool's name as the API accepts one. */
export function toolName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "tool";
}
