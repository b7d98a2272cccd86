import fc from "fast-check";
import { expect, test } from "vitest";
import { fileNameOf, idOf, isHashed } from "./file-name.ts";

test.each([
  ["7d1f4a52-6c08-4b6e-9f0b-3f1e2c5a9d10", "7d1f4a52-6c08-4b6e-9f0b-3f1e2c5a9d10.json"],
  ["../../etc/passwd", "%2e.%2f..%2fetc%2fpasswd.json"],
  ["..", "%2e..json"],
  [".", "%2e.json"],
  ["a\0b", "a%00b.json"],
  ["A", "%41.json"],
  ["a", "a.json"],
  ["s1.json", "s1.json.json"],
  ["織", "%e7%b9%94.json"],
  ["%41", "%2541.json"],
])("the file name of the session %j is %s", (id, name) => {
  expect(fileNameOf(id)).toBe(name);
  expect(idOf(name)).toBe(id);
});

test("a long id gets a file name that every file system accepts", () => {
  const name = fileNameOf("x".repeat(10_000));

  expect(name).toMatch(/^%~[0-9a-f]{64}\.json$/);
  expect([idOf(name), isHashed(name)]).toEqual([undefined, true]);
});

test("no two ids share a file name, and no file name leads out of the folder", () => {
  const id = fc.string({ minLength: 1, maxLength: 200, unit: "grapheme" });
  fc.assert(
    fc.property(id, id, (left, right) => {
      const [a, b] = [fileNameOf(left), fileNameOf(right)];

      expect(a).toMatch(/^(?!\.)[a-z0-9._%~-]{1,165}$/);
      expect(a === b).toBe(left === right);
      if (!isHashed(a)) expect(idOf(a)).toBe(left);
    }),
  );
});

test.each([".json", "s1.json.lock", "s1.json.0f.draft", "S1.json", "%zz.json", "%41%"])(
  "%s is not the file name of a session",
  (name) => {
    expect(idOf(name)).toBeUndefined();
  },
);
