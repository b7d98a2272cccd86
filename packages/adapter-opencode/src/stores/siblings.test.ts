import { contentOf, readAll, restoredFiles } from "@pond/adapter-testkit";
import type { ReadEvent } from "@pond/canonical";
import { expect, it } from "vitest";
import { fromOpencode } from "../from-opencode.ts";
import { createHome, start } from "../home.test-kit.ts";
import { opencodeWriter } from "../to-opencode.ts";

const folder = "project/home-ada-loom/storage/session";
const time = { created: start, updated: start };

/** A session in a tree of 2025 with a message; that of a model says where it was run. */
function session(id: string, message: object, at = folder): Record<string, unknown> {
  return {
    [`${at}/info/${id}.json`]: { id, title: "Loom", version: "0.5.1", time },
    [`${at}/message/${id}/msg_${id}.json`]: { sessionID: id, time, ...message },
  };
}

const prompt = { role: "user" };
const asked = session("ses_a", prompt);
const ranIn = (root: string) => ({ role: "assistant", path: { cwd: `${root}/src`, root } });
const old = {
  role: "assistant",
  parts: [],
  metadata: { time, assistant: ranIn("/home/ada/loom") },
};

async function read(files: Record<string, unknown>): Promise<readonly ReadEvent[]> {
  return readAll(fromOpencode(createHome(files)), "ses_a");
}

it.each<[string, Record<string, unknown>]>([
  ["in an answer", session("ses_b", ranIn("/home/ada/loom"))],
  ["in an answer of 0.1", session("ses_b", old)],
  [
    "in an answer, beside a sibling without one",
    { ...session("ses_b", prompt), ...session("ses_c", ranIn("/home/ada/loom")) },
  ],
])("places a prompt without an answer in its project, as a sibling says %s", async (_, others) => {
  const { session, messages } = contentOf(await read({ ...asked, ...others }));

  expect(session.project).toBe("/home/ada/loom");
  expect(messages.map(({ id }) => id)).toEqual(["ses_a#info", "msg_ses_a"]);
});

it.each([
  ["keeps its project when it is restored alone as an export", "export", "/home/ada/loom"],
  ["loses its project when it is restored alone as a tree", "tree", undefined],
] as const)("a prompt that a sibling placed %s", async (_, generation, expected) => {
  const root = contentOf(await read({ ...asked, ...session("ses_b", ranIn("/home/ada/loom")) }));
  const writer = opencodeWriter({ generation });
  const written = restoredFiles(writer.writeNative({ root, descendants: [] }));
  const texts = [...written].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]);

  const again = fromOpencode(createHome(Object.fromEntries(texts)));
  const [event] = await readAll(again, generation === "tree" ? "ses_a" : "pond/ses_a.json");
  expect(event?.kind === "session" ? event.session.project : undefined).toBe(expected);
});

const elsewhere = "project/home-ada-warp/storage/session";
const noRepository = "project/global/storage/session";

it.each<[string, Record<string, unknown>]>([
  ["by no sibling", asked],
  ["only by a sibling without an answer", { ...asked, ...session("ses_b", prompt) }],
  [
    "only by a session of another project",
    { ...asked, ...session("ses_b", ranIn("/home/ada/warp"), elsewhere) },
  ],
  [
    "by siblings of two projects with the same folded name",
    {
      ...asked,
      ...session("ses_b", ranIn("/home/ada/loom")),
      ...session("ses_c", ranIn("/home/ada-loom")),
    },
  ],
  [
    "only by a session outside every repository",
    {
      ...session("ses_a", prompt, noRepository),
      ...session("ses_b", ranIn("/home/ada/loom"), noRepository),
    },
  ],
])("reports a prompt whose project is told %s", async (_, files) => {
  const [event, ...more] = await read(files);

  expect(event?.kind === "fault" && event.fault.details.reason).toMatch(/no working directory/);
  expect(more).toEqual([]);
});

it("restores a session to a project folder whose name holds a redacted user name", async () => {
  const files = session(
    "ses_a",
    ranIn("/home/ada/loom"),
    "project/home-[redacted 1: user-name]-loom/storage/session",
  );
  const root = contentOf(await read(files));

  const written = restoredFiles(
    opencodeWriter({ generation: "tree" }).writeNative({ root, descendants: [] }),
  );

  expect([...written.keys()].sort()).toEqual(Object.keys(files).sort());
});
