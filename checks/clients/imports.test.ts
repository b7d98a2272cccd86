import { resolve } from "node:path";
import { contentOf, findSessions, readAll } from "@pond/adapter-testkit";
import { adapterNamed } from "@pond/adapters";
import { partsOf } from "@pond/canonical";
import type { Origin, SessionContent } from "@pond/canonical/adapter";
import { describe, expect, test } from "vitest";
import { importWithOmp, installOmp } from "./pi.ts";

const omp = await installOmp();

describe.skipIf(omp === undefined)("a session that omp imported", { timeout: 120_000 }, () => {
  test.each([
    ["claude", "claude-code", "injected-text", "5e551000-0000-4000-8000-000000000004"],
    ["codex", "codex", "injected", "019e0000-0000-7000-8000-000000000004"],
  ] as const)(
    "from %s names the original as its parent, and takes no injected text for typed text",
    async (source, origin, name, id) => {
      if (omp === undefined) return;
      const folder = resolve("fixtures", origin, name, "input");

      const { home, remove } = await importWithOmp(omp, source, folder);

      const [copy] = await contentsIn("omp", home).finally(remove);
      const [original] = await contentsIn(origin, folder);
      expect(copy?.session.parent_session_id).toBe(id);
      expect(original?.session.id).toBe(id);
      expect(typedIn(copy)[0]).toBe(typedIn(original)[0]);
      expect(typedIn(copy).join("\n")).not.toMatch(/^<(?:system-reminder|environment_context)>$/m);
    },
  );
});

async function contentsIn(origin: Origin, folder: string): Promise<readonly SessionContent[]> {
  const reader = adapterNamed(origin).from(folder);
  const { sessions } = await findSessions(reader);
  return Promise.all(sessions.map(async ({ key }) => contentOf(await readAll(reader, key))));
}

/** The texts that a human typed. */
function typedIn(content: SessionContent | undefined): readonly string[] {
  const messages = content?.messages.filter(({ role }) => role === "user") ?? [];
  return messages
    .flatMap(partsOf)
    .flatMap((part) =>
      part.type === "text" && part.provenance === "conversational" ? [part.text] : [],
    );
}
