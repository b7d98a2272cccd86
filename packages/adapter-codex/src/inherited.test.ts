import { contentOf, readSource, withFolder } from "@pond/adapter-testkit";
import { partsOf } from "@pond/canonical";
import type { InheritedHistory, SessionContent } from "@pond/canonical/adapter";
import { describe, expect, it } from "vitest";
import { fromCodex } from "./from-codex.ts";
import { codexRecordRules } from "./record-rules.ts";

const idOf = (number: number): string => `019e0000-0000-7000-8000-00000000000${number}`;
const [root, revert, fork, second] = [1, 2, 3, 4].map(idOf) as [string, string, string, string];

type Header = {
  readonly parent?: string;
  readonly base?: readonly [file: string, end: number, bytes?: number];
};

/** A file from `start` on: its header, and a prompt for each of the texts. */
function rollout(name: string, start: number, texts: readonly string[], header: Header = {}) {
  const [thread = ""] = name.split("_");
  const { parent, base } = header;
  const [first] = base ?? [];
  const payload = {
    ...{ id: thread, timestamp: "2026-11-22T09:00:00.000Z", cwd: "/home/ada" },
    ...(parent !== undefined && { forked_from_id: parent }),
    ...(base && {
      history_base: {
        ...{ thread_id: first, end_ordinal_exclusive: base[1] },
        end_byte_offset: base[2] ?? 1,
      },
    }),
  };
  const said = texts.map((text) => ({
    type: "response_item",
    payload: { type: "message", role: "user", content: [{ type: "input_text", text }] },
  }));
  const lines = [{ type: "session_meta", payload }, ...said].map((record, index) => {
    const place = { timestamp: `2026-11-22T09:00:${10 + index}.000Z`, ordinal: start + index };
    return `${JSON.stringify({ ...place, ...record })}\n`;
  });
  const path = `sessions/2026/11/22/rollout-2026-11-22T10-00-00-${name}.jsonl`;
  return [path, Buffer.from(lines.join(""))] as const;
}

type File = ReturnType<typeof rollout>;

/** A line of an older client, which numbers none; each text is a block. */
function unnumbered(role: "user" | "developer", ...texts: readonly string[]): string {
  const content = texts.map((text) => ({ type: "input_text", text }));
  const payload = { type: "message", role, content };
  const record = { timestamp: "2026-11-22T09:01:00.000Z", type: "response_item", payload };
  return `${JSON.stringify(record)}\n`;
}

async function threads(...files: readonly File[]): Promise<ReadonlyMap<string, SessionContent>> {
  const read = await withFolder(new Map(files), (home) => readSource(fromCodex(home)));
  const contents = [...read.values()].map(contentOf);
  return new Map(contents.map((content) => [content.session.id, content]));
}

function inherited(
  contents: ReadonlyMap<string, SessionContent>,
  id: string,
  ...known: readonly string[]
): InheritedHistory {
  const given = [id, ...known].flatMap((each) => contents.get(each) ?? []);
  const [content, ...others] = given;
  const found = content && codexRecordRules.inherited?.(content, others);
  if (found === undefined) throw new Error(`there is no ${id}`);
  return found;
}

const textsIn = ({ pieces }: InheritedHistory): unknown[] =>
  pieces.map(({ session, messages }) => {
    const texts = messages.flatMap((message) => {
      if (message.role === "system") return message.content || [];
      return partsOf(message).map((part) => (part.type === "text" ? part.text : part.type));
    });
    return [session.id, texts];
  });

describe("the history that a thread inherits", () => {
  const rootFile = rollout(root, 0, ["a", "b", "c"]);
  const revertFile = rollout(`${root}_${revert}`, 2, ["d", "e"], { base: [root, 2] });

  it("is the part before the cut of the file that the header names", async () => {
    const contents = await threads(
      rootFile,
      rollout(fork, 2, ["x"], { parent: root, base: [root, 2] }),
    );

    expect(inherited(contents, fork)).toEqual({ pieces: [], missing: [root] });
    const found = inherited(contents, fork, root);
    expect([textsIn(found), found.missing]).toEqual([[[root, ["a"]]], undefined]);
    expect(inherited(contents, root)).toEqual({ pieces: [] });
  });

  it.each<[string, readonly [string, number], unknown[]]>([
    ["with messages that a revert undid later", [root, 4], [[root, ["a", "b", "c"]]]],
    [
      "from a revert's file and the file before it",
      [revert, 4],
      [
        [root, ["a"]],
        [root, ["d"]],
      ],
    ],
  ])("comes %s", async (_, base, expected) => {
    const forked = rollout(fork, base[1], ["x"], { parent: root, base });
    const contents = await threads(rootFile, revertFile, forked);

    expect(textsIn(inherited(contents, fork, root))).toEqual(expected);
    expect(inherited(contents, fork).missing).toContain(root);
  });

  it("comes from all threads above a fork of a fork, wherever it was cut", async () => {
    const forked = rollout(fork, 2, ["x", "y"], { parent: root, base: [root, 2] });
    const again = (end: number, file: string): File =>
      rollout(second, end, ["z"], { parent: fork, base: [file, end] });

    const far = await threads(rootFile, forked, again(4, fork));
    expect(inherited(far, second, fork).missing).toEqual([root]);
    expect(textsIn(inherited(far, second, fork, root))).toEqual([
      [root, ["a"]],
      [fork, ["x"]],
    ]);
    // Cut in what the fork goes on from itself.
    const near = await threads(rootFile, forked, again(2, root));
    expect(textsIn(inherited(near, second, root))).toEqual([[root, ["a"]]]);
  });

  it.each<[string, number, string[]]>([
    ["before all", 0, ["a", "b", "c"]],
    ["after some", 2, ["a", "b", "c", "d", "e", "f"]],
    ["after all", 3, ["a", "b", "c", "d", "e", "f", "g"]],
  ])(
    "is cut %s of the lines that an older client wrote without numbers",
    async (_, knownLines, expected) => {
      const [path, numbered] = rootFile;
      const lines = [
        unnumbered("user", "d"),
        unnumbered("developer", "e", "f"),
        unnumbered("user", "g"),
      ];
      const bytes = numbered.length + lines.slice(0, knownLines).join("").length;
      const goneOn = [path, Buffer.concat([numbered, Buffer.from(lines.join(""))])] as const;
      const contents = await threads(
        goneOn,
        rollout(fork, 4, ["x"], { parent: root, base: [root, 4, bytes] }),
      );

      const found = inherited(contents, fork, root);

      expect([textsIn(found), found.missing]).toEqual([[[root, expected]], undefined]);
    },
  );

  it("is incomplete if a file ends before the cut or headers name each other in a circle", async () => {
    const short = await threads(rootFile, rollout(fork, 9, ["x"], { base: [root, 9] }));
    const found = inherited(short, fork, root);
    expect([textsIn(found), found.missing]).toEqual([[[root, ["a", "b", "c"]]], []]);

    const round = await threads(
      rollout(root, 2, ["a"], { base: [fork, 3] }),
      rollout(fork, 2, ["x"], { base: [root, 3] }),
    );
    expect(inherited(round, fork, root).missing).toEqual([]);
  });
});
