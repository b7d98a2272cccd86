import { expect, it } from "vitest";
import { windowText } from "./window-text.ts";

it.each([
  ["refactoring", "refac"],
  ["they refactored 3 modules_again", "they refac 3 modul_again"],
  ["données françaises", "donné franç"],
  ["データベースサーバー", "データベースサーバー"],
  ["重建索引时数据库连接失败", "重建索引时数据库连接失败"],
  ["ฐานข้อมูลเก่า", "ฐานข้อมูลเก่า"],
  ["데이터베이스를", "데이터베이"],
  ["Docker에서 API를 v2로", "Docke 에서 API 를 v2 로"],
  ["새Docker데이터베이스", "새 Docke 데이터베이"],
  ["用Docker运行refactored代码", "用Docke运行refac代码"],
  ["サーバーDocker", "サーバーDocke"],
  ["ไฟล์configอยู่", "ไฟล์confiอยู่"],
])("stores %j in windows as %j", (text, held) => {
  expect(windowText(text)).toBe(held);
});
