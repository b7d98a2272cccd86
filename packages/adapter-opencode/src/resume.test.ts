import { sampleLineage } from "@pond/adapter-testkit";
import { sessionFromWire } from "@pond/canonical";
import { expect, it } from "vitest";
import { opencodeHomes } from "./layout.ts";
import { opencodeResume } from "./resume.ts";
import { toOpencode } from "./to-opencode.ts";

it("imports the files of a foreign session, parents first, and continues its copy", () => {
  const lineage = sampleLineage();
  const files = [...toOpencode.writeForeign(lineage, () => undefined)];
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

it("continues a session of its own under its own id; files of a tree are found by themselves", () => {
  const session = sessionFromWire({
    id: "ses_a",
    source_agent: "opencode",
    created_at: "2026-03-01T09:00:00.000Z",
    project: "/loom",
    options: {},
  });
  const file = (path: string) => ({ session: session.id, path, content: [] });
  const files = [file("storage/session/global/ses_a.json"), file("pond/ses_b.json")];

  expect(opencodeResume({ session, home: "/data", files }).commands).toEqual([
    ["opencode", "import", "/data/pond/ses_b.json"],
    ["opencode", "--session", "ses_a"],
  ]);
});

it.each([
  ["the user's data folder", {}, "/home/ada/.local/share/opencode"],
  ["the one that is set", { XDG_DATA_HOME: "/data" }, "/data/opencode"],
  [
    "the user's where an empty one is set",
    { XDG_DATA_HOME: "" },
    "/home/ada/.local/share/opencode",
  ],
])("looks in %s", (_, env, folder) => {
  expect(opencodeHomes({ home: "/home/ada", env })).toEqual([folder]);
});
