import { restoredFiles } from "@pond/adapter-testkit";
import { adapterNamed, meaningsOf } from "@pond/adapters";
import { messageFromWire, sessionFromWire } from "@pond/canonical";
import { expect, test } from "vitest";

const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

// In Codex, anything that nobody typed can only be text.
test.each([
  ["codex", false],
  ["opencode", true],
  ["pi", true],
  ["omp", true],
  ["phi-core", true],
])("a picture attached with @ in Claude Code reaches %s as a picture: %s", (origin, isShown) => {
  const at = "2026-03-01T09:00:00.000Z";
  const place = { id: "m", session_id: "s", timestamp: at };
  const file = { base64: png, type: "image/png", originalSize: 70 };
  const content = { type: "image", file };
  const attachment = { type: "file", filename: "/work/loom.png", content, displayPath: "loom.png" };
  const record = { type: "attachment", uuid: "m", attachment };
  const given = { ...place, role: "system", content: "", options: { source: { record } } };
  const own = { id: "s", source_agent: "claude-code", created_at: at, project: "/work" };
  const session = sessionFromWire({ ...own, options: {} });
  const root = { session, messages: [messageFromWire(given)] };
  const { to, problems } = adapterNamed(origin);

  const files = [...to.writeForeign({ root, descendants: [] }, meaningsOf())];

  const text = files.flatMap((each) => [...each.content].map(String)).join("");
  expect(text).toContain("/work/loom.png:\\na picture");
  expect(text.includes(png)).toBe(isShown);
  expect(problems?.(restoredFiles(files)) ?? []).toEqual([]);
  // Fidelity counts records, and there is one.
  expect(files.map(({ fidelity }) => fidelity)).toEqual([
    { system: { kept: 0, translated: 1, dropped: 0 } },
  ]);
});
