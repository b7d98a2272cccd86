import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SearchRequest } from "./request.ts";
import { search } from "./search.ts";
import { embedAll, fakeEmbedder, storeOf, type TestStore } from "./testing.ts";

// Longer than what is looked for character by character, and than a snippet.
const long =
  "tar -czf /backup/ada/machine.tgz --exclude='*/node_modules/*' -C /home/ada/projects " +
  "pond/packages/search pond/packages/sessions pond/packages/substrate -verbose --checkpoint=1000 " +
  "--checkpoint-action=dot --warning=none --listed-incremental=/backup/state.snar";
const link = `https://example.org/${"a1b2c3d4".repeat(40)}`;
const texts: Readonly<Record<string, string>> = {
  find: "run find . -type f -name '*.orig' -delete in the root",
  other: "find the file and delete it, whatever type or name it has",
  diff: "the change:\n-const flamingo = require('zoo');\n+const flamingo = await import('zoo');",
  flags: "unpack it with tar -xzf site.tgz | sort",
  noFlags: "sort what the tar archive site.tgz holds",
  timeout: "an error by a timeout",
  seal: "a walrus and a \u001b[31mseal\u001b[0m",
  long: `every night: ${long} -z`,
  link: `went to ${link} -then away`,
};

let store: TestStore;
beforeAll(async () => {
  store = await storeOf(Object.entries(texts).map(([id, text]) => ({ id, texts: [text] })));
});
afterAll(() => store.remove());

const found = async (query: string, more: Partial<SearchRequest> = {}): Promise<string[]> => {
  const { sessions } = await search(store.sessions, { query, ...more });
  return sessions.map(({ session_id }) => session_id);
};

describe("pasted text", () => {
  it.each([
    [
      "a command whose flags look like excluded words",
      "find . -type f -name '*.orig' -delete",
      "find",
    ],
    ["a part of a command with flags", "-type f -name '*.orig'", "find"],
    ["a command with words that other texts hold without its flag", "tar -xzf site.tgz", "flags"],
    ["the end of such a command", "-xzf site.tgz | sort", "flags"],
    [
      "lines of a diff",
      "-const flamingo = require('zoo');\n+const flamingo = await import(",
      "diff",
    ],
    ["changes of a diff in one line", "-const flamingo +const", "diff"],
    ["a word in terminal bold", "\u001b[1mwalrus\u001b[22m", "seal"],
    ["a word with colour codes inside", "wal\u001b[1;31mrus\u001b[0m", "seal"],
    ["a match as grep colours it", "wal\u001b[01;31m\u001b[Krus\u001b[m\u001b[K", "seal"],
    ["a long command", long, "long"],
    ["a part of a long command", long.slice(4, -11), "long"],
    ["a long word", `${link} -then`, "link"],
  ])("is found: %s", async (_, query, id) => {
    expect(await found(query)).toEqual([id]);
  });

  it("is found only within filters, and is shown in the snippet and the explanation", async () => {
    const query = "find . -type f -name '*.orig' -delete";

    const { sessions, explanation } = await search(store.sessions, { query, explain: true });
    const [match] = sessions[0]?.matches ?? [];

    expect(match?.snippet.text).toContain(query);
    expect(explanation).toMatchObject({ required: [query], excluded: [] });
    expect(await found(query, { role: "assistant" })).toEqual([]);
    expect(await found(query, { min_score: 1e6 })).toEqual([]);
  });

  it("is found in hybrid search too, where some message is always near by meaning", async () => {
    const embedder = fakeEmbedder();
    await embedAll(store.sessions, embedder);
    const roots = async (query: string): Promise<string[]> => {
      const { mode, sessions } = await search(store.sessions, { query }, { embedder });
      expect(mode).toBe("hybrid");
      return sessions.map(({ session_id }) => session_id);
    };

    expect(await roots("find . -type f -name '*.orig' -delete")).toEqual(["find"]);
    expect(await roots("error -timeout")).not.toContain("timeout");
    expect(await roots("error -timeout")).not.toEqual([]);
  });

  it("does not bring back excluded messages if no text holds the query as typed", async () => {
    expect(await found("error -timeout")).toEqual([]);
    expect(await found("error -walrus")).toEqual(["timeout"]);
    expect(await found("-walrus error")).toEqual(["timeout"]);
    expect(await found("archive -unpack site.tgz")).toEqual(["noFlags", "long"]);
    // Without words after it, it looks like no flag of a command.
    expect(await found("tar -xzf")).toEqual(["noFlags", "long"]);
    // Nor where it is a long word that no text holds.
    expect(await found(`by ${"x".repeat(300)} -timeout`)).toEqual([]);
  });
});
