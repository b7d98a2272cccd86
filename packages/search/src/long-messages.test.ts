import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { search } from "./search.ts";
import { storeOf, type TestStore } from "./testing.ts";

const filler = "the weavers go on with their baskets ".repeat(15_000);
/** Of more than a million characters: only the beginning and the end of it are indexed as a message's. */
const long = `Why does quokka-7411 crash? ${filler} wombat rejected narwhal_4712 here ${filler} See capybara-7413.`;

let store: TestStore;
beforeAll(async () => {
  store = await storeOf([
    { id: "long", texts: [long, "Because of its cache."] },
    { id: "other", texts: ["a rejected basket", "It was there."] },
  ]);
});
afterAll(() => store.remove());

async function found(query: string): Promise<string[]> {
  const { sessions } = await search(store.sessions, { query });
  return sessions.map(({ session_id: id }) => id);
}

describe("a message with a long run of a script without spaces", () => {
  it("is found by words in the middle of it, at once", async () => {
    const run = "内存泄漏".repeat(100_000);
    const { sessions, remove } = await storeOf([
      { id: "run", texts: [`${run}heron${run}`, "yes"] },
      { id: "else", texts: ["a kingfisher", "no"] },
    ]);

    const answer = await search(sessions, { query: "heron" });

    expect(answer.sessions.map(({ session_id: id }) => id)).toEqual(["run"]);
    remove();
  });
});

describe("a message of more than 1,048,576 characters", () => {
  it.each([
    ["a name at its beginning", "quokka-7411"],
    ["a name at its end", "capybara-7413"],
    ["a required word at its end", "+capybara baskets"],
    ["a word in its middle", "wombat"],
    ["a name in its middle", "narwhal_4712"],
  ])("is found first by %s: %s", async (_, query) => {
    expect((await found(query))[0]).toBe("long");
  });

  it("is found by words in its middle, as is another session that holds one of them", async () => {
    expect((await found("why was the narwhal rejected")).toSorted()).toEqual(["long", "other"]);
  });

  it("is not found by a required word that stands only in its middle", async () => {
    expect(await found("+wombat")).toEqual([]);
  });
});
