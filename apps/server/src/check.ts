import { type EmbedderSettings, openEmbedder } from "@pond/embed";
import { openSessions, statistics } from "@pond/sessions";
import { StoreNotFoundError } from "@pond/substrate";
import type { Config } from "./config.ts";
import { openCaches, probeStorage, type Storage } from "./storage.ts";
import { locationOf } from "./tenants.ts";

/**
 * Checks whether a server could serve with this configuration, without starting one.
 *
 * @param say - Called with each finding, a line without its end.
 * @throws The error that a server would fail with.
 */
export async function check(config: Config, say: (line: string) => void): Promise<void> {
  const { storage, storageOptions, policy, host, port, namespaceHeader, embeddings } = config;
  const place = { storage, storageOptions, caches: openCaches(config) };
  say("environment: ok");
  await probeStorage(place);
  const isFolder = storage.startsWith("/");
  say(`storage: ${storage}, ${isFolder ? "can be written to" : "keeps conditional writes"}`);
  say(`namespaces: ${policy.kind}`);
  for (const name of policy.kind === "fixed" ? policy.names : []) {
    say(`  ${name}: ${await contentOf(place, name)}`);
  }
  const said = namespaceHeader === undefined ? "each request" : `the header ${namespaceHeader}`;
  say(`namespace of a request: named by ${said}`);
  say(`embeddings: ${embeddings === undefined ? "none" : await modelOf(embeddings)}`);
  say(`would listen at: ${host}, port ${port}`);
}

/** Asks for one vector, because a wrong key or length shows only then. */
async function modelOf(embeddings: EmbedderSettings): Promise<string> {
  const embedder = await openEmbedder(embeddings);
  try {
    await embedder.embed(["pond"], { kind: "query" });
    return `${embedder.modelId} answers, ${embedder.dimension} numbers a vector`;
  } finally {
    await embedder.close();
  }
}

async function contentOf({ storage, ...options }: Storage, name: string): Promise<string> {
  try {
    const sessions = await openSessions(locationOf(storage, name), options);
    try {
      const { sessions: count, messages } = await statistics(sessions);
      return `${count} sessions, ${messages} messages`;
    } finally {
      sessions.close();
    }
  } catch (error) {
    if (error instanceof StoreNotFoundError) return "nothing stored yet";
    throw error;
  }
}
