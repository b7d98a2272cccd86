import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { editsBetween } from "./did-you-mean.ts";
import type { SearchRequest } from "./request.ts";
import { search } from "./search.ts";
import { addChats, storeOf, type TestStore } from "./testing.ts";

const said = [
  "Please receive the yarn, and test the getThreadLength call of parse_config",
  "I received it. The authentication of the weaver in Köln works, авторизация",
  "Next.js draws the warp beam; put there in a hurry",
];
const chats = [
  {
    id: "loom",
    project: "/loom",
    texts: [1, 2, 3].flatMap((time) => said.map((text) => `${text} ${time}`)),
  },
  { id: "other", project: "/other", texts: ["the receiver of the package", "a selvage"] },
];

let store: TestStore;
beforeAll(async () => {
  store = await storeOf(chats);
});
afterAll(() => store.remove());

async function suggestionFor(
  query: string,
  bounds: Omit<SearchRequest, "query"> = {},
): Promise<string | undefined> {
  return (await search(store.sessions, { query, ...bounds })).did_you_mean;
}

describe("a search", () => {
  it.each([
    ["two letters exchanged", "recieve", "receive"],
    ["a letter left out of a long word", "autentication", "authentication"],
    ["two letters wrong in a long word", "authantikation", "authentication"],
    ["a short word", "tset", "test"],
    ["one word among others, which stay as they are", "The  Yarn recieve!", "The  Yarn receive!"],
    ["several words", "recieve tset", "receive test"],
    ["a required word", "+recieve yarn", "+receive yarn"],
    ["a word in a phrase", '"recieve the yarn"', '"receive the yarn"'],
    ["a piece of a name", "parse_confg", "parse_config"],
    ["a name in camelCase", "gteThreadLength", "getThreadLength"],
    ["a letter without its mark", "Koln", "Köln"],
    ["another script", "автроизация", "авторизация"],
    ["words with punctuation between them", "nextjs yarn", "Next.js yarn"],
    ["words with a space between them", "warpbeam", "warp beam"],
    ["a word that was said once, if nothing is found", "selvege", "selvage"],
  ])("names what was probably meant: %s", async (_, query, expected) => {
    expect(await suggestionFor(query)).toBe(expected);
  });

  it.each([
    ["somebody said the word", "receive"],
    ["the word is held in another case", "RECEIVE"],
    ["nothing is similar", "shuttlecock"],
    ["only the first letter differs", "deceive"],
    ["two letters of a short word differ", "tents yarn"],
    ["it is too short", "tst"],
    ["it is too long", "authenticationoftheweaverincologne"],
    ["it grows when letters are compared", "ẞ".repeat(32)],
    ["it is a number", "yarn 12345"],
    ["it was found by its beginning", "receivinf"],
    ["other words are found, and hardly anybody said the similar one", "yarn selvege"],
    ["a script has no spaces", "認証処理"],
    ["most words are unknown", "wkat ijs thfs sentenze abuot recieve"],
    ["it is excluded", "yarn -recieve"],
    ["it is two words of which one is grammar", "therein"],
    ["it is two words on two sides of a sentence", "beamput"],
  ])("names nothing if %s", async (_, query) => {
    expect(await suggestionFor(query)).toBeUndefined();
  });

  it("names words of messages in scope, and none that is only known elsewhere", async () => {
    expect(await suggestionFor("autentication", { project: "/other" })).toBeUndefined();
    expect(await suggestionFor("reciever", { project: "/other" })).toBe("receiver");
    expect(await suggestionFor("authentication", { project: "/other" })).toBeUndefined();
  });

  it("names nothing on a later page", async () => {
    const query = "package tset yarn";
    const { did_you_mean: similar, next } = await search(store.sessions, { query, limit: 1 });

    expect([similar, next]).toEqual(["package test yarn", expect.any(String)]);
    expect(await suggestionFor(query, { limit: 1, after: next })).toBeUndefined();
  });

  it("knows words that no index holds yet", async () => {
    const { sessions, remove } = await storeOf(chats);
    await addChats(sessions, [{ id: "new", texts: ["recieve was typed wrong here"] }]);

    expect((await search(sessions, { query: "recieve" })).did_you_mean).toBeUndefined();
    remove();
  });
});

it("takes words of any letters, and of any length", async () => {
  const letter = fc.constantFrom(..."aábẞßıİΣςжñ̃ᄀ한あ漢ไकि𐐨𝒜ﬁ");
  const words = fc.array(fc.string({ unit: letter, minLength: 1, maxLength: 64 }), {
    minLength: 1,
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(words, async (some) => {
      const similar = await suggestionFor(`aaa ${some.join(" ")}`);

      expect(similar).toBeOneOf([undefined, expect.any(String)]);
    }),
    { numRuns: 150 },
  );
});

/** The definition, without a table. */
function alignment([...left]: string, [...right]: string): number {
  const [a, b] = [left.at(-1), right.at(-1)];
  if (a === undefined || b === undefined) return left.length + right.length;
  const [from, to] = [left.slice(0, -1).join(""), right.slice(0, -1).join("")];
  const options = [
    alignment(from, right.join("")) + 1,
    alignment(left.join(""), to) + 1,
    alignment(from, to) + (a === b ? 0 : 1),
  ];
  if (left.at(-2) === b && right.at(-2) === a) {
    options.push(alignment(from.slice(0, -1), to.slice(0, -1)) + 1);
  }
  return Math.min(...options);
}

it("counts the edits between two words as optimal string alignment does", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 5 });
  fc.assert(
    fc.property(word, word, fc.constantFrom(1, 2, 9), (left, right, most) => {
      const exact = alignment(left, right);
      const counted = editsBetween(left, right, most);

      expect(exact <= most ? counted : counted > most).toBe(exact <= most ? exact : true);
    }),
  );
});
