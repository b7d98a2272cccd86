import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { contentOf, readAll, readSource, sampleLineage } from "@pond/adapter-testkit";
import { sessionFromWire } from "@pond/canonical";
import { expect, it } from "vitest";
import { fromOpencode } from "./from-opencode.ts";
import {
  createHome,
  exchange,
  joined,
  sessionRow,
  start,
  type Tables,
  writeDatabase,
} from "./home.test-kit.ts";
import { opencodeHomes } from "./layout.ts";
import { opencodeResume } from "./resume.ts";
import { toOpencode } from "./to-opencode.ts";

it("imports the files of a foreign session, parents first, and continues its copy", () => {
  const lineage = sampleLineage();
  const files = [...toOpencode.writeForeign(lineage, {})];
  const [root, child, grandchild] = files.map(({ path }) => `/data/opencode/${path}`);

  const { session } = lineage.root;
  const resume = opencodeResume({ session, home: "/data/opencode", files });

  expect(resume).toEqual({
    commands: [
      ["opencode", "import", root],
      ["opencode", "import", child],
      ["opencode", "import", grandchild],
      ["opencode", "--session", root?.replace(/^.*\/|\.json$/g, "")],
    ],
    directory: "/home/ada/loom",
  });
});

it.each(["https://example.com/ada/loom.git", "loom"])(
  "names no working directory for the project %s, which is no path",
  (project) => {
    const lineage = sampleLineage();
    const files = [...toOpencode.writeForeign(lineage, {})];
    const session = { ...lineage.root.session, project };

    expect(opencodeResume({ session, home: "/data/opencode", files })).not.toHaveProperty(
      "directory",
    );
  },
);

it("continues a native session under its own id, and imports no file of a tree", () => {
  const session = sessionFromWire({
    id: "ses_a",
    source_agent: "opencode",
    created_at: "2026-03-01T09:00:00.000Z",
    project: "/loom",
    options: {},
  });
  const file = (path: string) => ({ session: session.id, path, content: ["{}"] });
  const files = [file("storage/session/global/ses_a.json"), file("pond/ses_b.json")];

  expect(opencodeResume({ session, home: "/data", files }).commands).toEqual([
    ["opencode", "import", "/data/pond/ses_b.json"],
    ["opencode", "--session", "ses_a"],
  ]);
});

const copied = (seq: number, id: string) => ({
  id,
  session_id: "ses_a",
  type: "user",
  seq,
  time_created: start + seq,
  time_updated: start + seq,
  data: { text: "Why?", time: { created: start + seq } },
});
const first = joined({ session: [sessionRow("ses_a")] }, exchange("ses_a"));
const second = (title: string, ...ids: readonly string[]) => ({
  session_v2: [sessionRow("ses_a", { title })],
  session_message: ids.map((id, seq) => copied(seq, id)),
});

it.each([
  ["of 2.x with the command of 2.x", second("Loom", "msg_v1"), "session import", "ses_a.json"],
  [
    "that went on in 2.x from its export for 2.x alone",
    joined(first, second("Loom", "msg_a1", "msg_a2", "msg_v1")),
    "session import",
    "ses_a.2.json",
  ],
  [
    "that was only renamed in 2.x from its export for 1.x",
    joined(first, second("Loom, renamed", "msg_a1", "msg_a2")),
    "import",
    "ses_a.json",
  ],
])("imports a session %s", async (_, tables, command, name) => {
  const folder = createHome();
  writeDatabase(join(folder, "opencode.db"), tables);
  const root = contentOf(await readAll(fromOpencode(folder), "ses_a"));
  const files = [...toOpencode.writeNative({ root, descendants: [] })];

  const { commands } = opencodeResume({ session: root.session, home: "/data", files });

  expect(commands.map((words) => words.join(" "))).toEqual([
    `opencode ${command} /data/pond/${name}`,
    "opencode --session ses_a",
  ]);
});

it.each<[string, Tables, string]>([
  ["1.x", { session: [sessionRow("ses_a", { directory: "/loom-2" })] }, "/loom-2"],
  ["2.x", { session_v2: [sessionRow("ses_a", { directory: "/loom-2" })] }, "/loom-2"],
  [
    "2.x, after turns in 1.x,",
    joined(first, {
      session_v2: [sessionRow("ses_a", { directory: "/loom-2", time_updated: start + 9_000 })],
      session_message: ["msg_a1", "msg_a2", "msg_v1"].map((id, seq) => copied(seq, id)),
    }),
    "/loom-2",
  ],
])(
  "resumes in the directory to which %s moved a session since it was stored",
  async (_, tables, directory) => {
    const folder = createHome();
    writeDatabase(join(folder, "opencode.db"), tables);
    const root = contentOf(await readAll(fromOpencode(folder), "ses_a"));
    const files = [...toOpencode.writeNative({ root, descendants: [] })];
    const session = { ...root.session, project: "/loom" };

    expect(opencodeResume({ session, home: "/data", files }).directory).toBe(directory);
  },
);

it.each<[string, Tables, readonly string[] | undefined]>([
  [
    "through the API of 1.x: no",
    { session: [sessionRow("ses_a")], message: [], session_message: [copied(1, "msg_v1")] },
    ["pond/ses_a.json: is of the API of 1.18.3, which has no command that takes it"],
  ],
  ["in 2.x: yes", second("Loom", "msg_v1"), undefined],
])("tells whether the client can import a session held %s", async (_, tables, refused) => {
  const folder = createHome();
  writeDatabase(join(folder, "opencode.db"), tables);
  const root = contentOf(await readAll(fromOpencode(folder), "ses_a"));
  const files = [...toOpencode.writeNative({ root, descendants: [] })];

  expect(opencodeResume({ session: root.session, home: "/data", files }).problems).toEqual(refused);
});

it.each([
  ["the user's data folder by default", {}, "/home/ada/.local/share/opencode"],
  ["the data folder that is set", { XDG_DATA_HOME: "/data" }, "/data/opencode"],
  [
    "the user's data folder if an empty one is set",
    { XDG_DATA_HOME: "" },
    "/home/ada/.local/share/opencode",
  ],
])("looks for sessions in %s", (_, env, folder) => {
  expect(opencodeHomes({ home: "/home/ada", env })).toEqual([folder]);
});

const fixtures = fileURLToPath(new URL("../../../fixtures/opencode/", import.meta.url));

it.each<[string, string, RegExp | undefined]>([
  ["none for trees of 2026", "tree", undefined],
  [
    "the time of the first message for trees of 2025",
    "tree-2025",
    /\.json: export\.messages\[0\]\.info\.time /,
  ],
])("names the fault at which an import stops: %s", async (_, tree, refused) => {
  for (const events of (await readSource(fromOpencode(join(fixtures, tree, "input")))).values()) {
    const root = contentOf(events);
    const files = [...toOpencode.writeNative({ root, descendants: [] }, () => true)];

    const resume = opencodeResume({ session: root.session, home: "/data", files });

    expect(resume.problems?.[0]).toEqual(refused && expect.stringMatching(refused));
  }
});

it("continues a session under the id in its file if the stored id has a prefix", () => {
  const session = sessionFromWire({
    id: "opencode:ses_a",
    source_agent: "opencode",
    created_at: "2026-03-01T09:00:00.000Z",
    project: "/loom",
    options: {},
  });
  const content = ['{"info":{"id":"ses_a"},"messages":[', "]}"];
  const files = [{ session: session.id, path: "pond/ses_a.json", content }];

  const { commands } = opencodeResume({ session, home: "/data/opencode", files });

  expect(commands.at(-1)).toEqual(["opencode", "--session", "ses_a"]);
});

it("imports no session that the client already holds", () => {
  const lineage = sampleLineage();
  const files = [...toOpencode.writeForeign(lineage, {})];
  const { session } = lineage.root;

  const all = new Set(files.map((file) => file.session));
  const commands = (existing: typeof all) =>
    opencodeResume({ session, home: "/data", files, existing }).commands.map(([, word]) => word);

  expect(commands(all)).toEqual(["--session"]);
  expect(commands(new Set([session.id]))).toEqual(["import", "import", "--session"]);
});
