import { basename } from "node:path";
import { contentOf, readAll, restoredFiles } from "@pond/adapter-testkit";
import { type JsonValue, parseJson, stringifyJson } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import { describe, expect, it } from "vitest";
import { fromOpencode } from "../from-opencode.ts";
import { createHome, start } from "../home.test-kit.ts";
import { opencodeProblems } from "../problems.ts";
import { opencodeWriter, toOpencode } from "../to-opencode.ts";

const folder = "project/home-ada-loom/storage/session";
const place = "pond/ses_a.json";
const model = { providerID: "weaver", modelID: "shuttle-3" };
const tokens = { input: 1, output: 2, reasoning: 0, cache: { read: 0, write: 0 } };
const at = (after: number) => ({ time: { created: start + after } });
const answered = {
  ...{ role: "assistant", ...model, mode: "plan", cost: 0, tokens },
  path: { cwd: "/home/ada/loom", root: "/home/ada/loom" },
};

const call = { type: "tool", tool: "bash", callID: "call_1" };

/** A session as 0.5 wrote them. */
const records: Record<string, object> = {
  [`${folder}/info/ses_a.json`]: {
    id: "ses_a",
    version: "0.5.29",
    title: "Loom",
    summary: { diffs: [] },
    time: { created: start, updated: start },
  },
  [`${folder}/message/ses_a/msg_1.json`]: { role: "user", sessionID: "ses_a", ...at(1) },
  [`${folder}/part/ses_a/msg_1/prt_1.json`]: { type: "text", text: "Why?" },
  [`${folder}/message/ses_a/msg_2.json`]: { ...answered, sessionID: "ses_a", ...at(2) },
  [`${folder}/part/ses_a/msg_2/prt_2.json`]: { type: "step-start" },
  [`${folder}/part/ses_a/msg_2/prt_3.json`]: { type: "step-finish", cost: 0, tokens },
  // The client crashed before it was told what the tool is given.
  [`${folder}/part/ses_a/msg_2/prt_4.json`]: { ...call, state: { status: "pending" } },
  [`${folder}/message/ses_a/msg_3.json`]: { role: "user", sessionID: "ses_a", ...at(3) },
};

type Export = {
  info: Record<string, unknown>;
  messages: { info: Record<string, unknown>; parts: Record<string, unknown>[] }[];
};

const toExports = opencodeWriter({ generation: "export" });

async function read(files: Record<string, unknown>, key = "ses_a"): Promise<SessionContent> {
  const now = () => new Date(start + 1e9);
  return contentOf(await readAll(fromOpencode(createHome(files), { now }), key));
}

function exportsOf(root: SessionContent): ReadonlyMap<string, Uint8Array> {
  return restoredFiles(toExports.writeNative({ root, descendants: [] }));
}

function exportIn(files: ReadonlyMap<string, Uint8Array>): Export {
  return JSON.parse(Buffer.from(files.get(place) ?? "").toString());
}

/** The records of a session by their ids, as a tree has them. */
function recordsOf(root: SessionContent): Record<string, JsonValue> {
  const writer = opencodeWriter({ generation: "tree" });
  const files = restoredFiles(writer.writeNative({ root, descendants: [] }));
  return Object.fromEntries(
    [...files].map(([path, bytes]) => [basename(path), parseJson(Buffer.from(bytes).toString())]),
  );
}

describe("an export of a session that an older release wrote", () => {
  it("has the fields that an import requires, taken from the session itself", async () => {
    const files = exportsOf(await read(records));
    const { info, messages } = exportIn(files);

    // An import takes such a call; it is providers that do not.
    const open = "export.messages[1].parts[2] is a call that runs";
    expect(opencodeProblems(files)).toEqual([`${place}: ${open}`]);
    const directory = "/home/ada/loom";
    const summary = { diffs: [], additions: 0, deletions: 0, files: 0 };
    expect(info).toMatchObject({ slug: "", title: "Loom", directory, summary });
    expect(messages.map(({ info }) => [info["agent"], info["model"], info["parentID"]])).toEqual([
      ["plan", model, undefined],
      ["plan", undefined, "msg_1"],
      ["plan", model, undefined],
    ]);
    expect(messages[1]?.parts[1]).toMatchObject({ type: "step-finish", reason: "unknown" });
    expect(messages[1]?.parts[2]).toMatchObject({
      state: { status: "pending", input: {}, raw: "" },
    });
  });

  it("is read as the same session and written again as the same export", async () => {
    const root = await read(records);
    const files = exportsOf(root);

    const again = await read({ [place]: exportIn(files) }, place);

    expect(exportsOf(again)).toEqual(files);
    expect(recordsOf(again)).toMatchObject(recordsOf(root));
    expect(again.session).toEqual(root.session);
    expect(again.messages.map(({ id }) => id)).toEqual(root.messages.map(({ id }) => id));
    expect(stringifyJson(Object.values(recordsOf(again)))).not.toMatch(
      /"(?:slug|parentID|reason|raw)"/,
    );
  });

  it("is read even if the session itself does not say where it ran", async () => {
    const sibling = Object.entries(records).map(([path, record]) => {
      return [path.replaceAll("ses_a", "ses_b"), record] as const;
    });
    const alone = Object.entries(records).filter(([path]) => /info|msg_1/.test(path));
    const root = await read(Object.fromEntries([...alone, ...sibling]));

    const again = await read({ [place]: exportIn(exportsOf(root)) }, place);

    expect(again.session).toEqual(root.session);
    expect(again.session.project).toBe("/home/ada/loom");
  });

  it("lacks the fields that nothing in the session gives", async () => {
    const { [`${folder}/message/ses_a/msg_2.json`]: _, ...unanswered } = records;
    const info = { ...records[`${folder}/info/ses_a.json`], directory: "/home/ada/loom" };

    const files = exportsOf(await read({ ...unanswered, [`${folder}/info/ses_a.json`]: info }));

    expect(opencodeProblems(files)).toEqual([
      `${place}: export.messages[0].info.agent is not a string`,
      `${place}: export.messages[0].info.model is not an object`,
      `${place}: export.messages[1].info.agent is not a string`,
      `${place}: export.messages[1].info.model is not an object`,
    ]);
  });
});

it("adds nothing to an export that it read", async () => {
  const info = { id: "ses_a", directory: "/loom", time: { created: start, updated: start } };
  const user = { id: "msg_1", sessionID: "ses_a", role: "user", ...at(1) };
  const exported = { info, messages: [{ info: user, parts: [] }] };

  const root = await read({ "ses_a.json": exported }, "ses_a.json");
  const files = restoredFiles(toOpencode.writeNative({ root, descendants: [] }));

  expect(JSON.parse(Buffer.from(files.get("ses_a.json") ?? "").toString())).toEqual(exported);
});
