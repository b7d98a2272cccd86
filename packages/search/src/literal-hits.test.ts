import { expect, it } from "vitest";
import { exactness } from "./literal-hits.ts";

it.each([
  ["调用getUserName方法", "getUserName", 1],
  ["サーバーのget_user_nameを", "get_user_name", 1],
  ["แก้src/a.ts:42แล้ว", "src/a.ts", 1],
  ["getUserName을 호출", "getUserName", 1],
  ["调用getUserNames方法", "getUserName", 0.65],
  ["调用get_user_name_方法", "get_user_name", 0.65],
  ["调用getusername方法", "getUserName", 0.99],
])("rates how exactly the text %j holds the name %j: %d", (text, name, share) => {
  expect(exactness(text, name)).toBe(share);
});
