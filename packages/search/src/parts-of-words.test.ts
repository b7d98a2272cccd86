import { afterAll, beforeAll, expect, it } from "vitest";
import { search } from "./search.ts";
import { storeOf, type TestStore } from "./testing.ts";

const texts: Readonly<Record<string, string>> = {
  particles: "서버에서 오류가 발생했습니다. 로그를 확인해 주세요",
  server: "서버 이름을 바꾸자",
  error: "오류 없음",
  commit: "the fix is 9f8e7d6c5b4a39281706, in its own commit",
  others: "another commit, and then a revert of that commit",
};

let store: TestStore;
beforeAll(async () => {
  store = await storeOf(Object.entries(texts).map(([id, text]) => ({ id, texts: [text] })));
});
afterAll(() => store.remove());

it.each([
  ["Korean words with their particles", "로그 확인", ["particles"]],
  ["them beside sessions that have each bare", "서버 오류", ["particles", "error", "server"]],
  ["them behind one that has the word bare", "오류", ["error", "particles"]],
  ["the beginning of a commit's hash", "9f8e7d6", ["commit"]],
  ["it beside a word that others have too", "commit 9f8e7d6", ["commit", "others"]],
  ["it where others say the other word more", "9f8e7d6c revert", ["commit", "others"]],
])("finds %s", async (_, query, ids) => {
  const { sessions } = await search(store.sessions, { query });

  expect(sessions.map(({ session_id }) => session_id)).toEqual(ids);
});
