import type { Random } from "../chaos/random.ts";

/** JSON values that readers do not expect, as text: a JSON writer would tame most of them. */
const oddTexts = [
  "null",
  "true",
  "false",
  "0",
  "-0",
  "-1",
  "1.0",
  "1e400",
  "-1e-400",
  "9007199254740993",
  "1767600000000.5",
  "8640000000000001",
  "99999999999999999999999",
  "0.1000000000000000055",
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"a\\r\\n\\u2028b"',
  '"\\u001b[31m"',
  '"../../../../etc/passwd"',
  '"/"',
  '"."',
  '".."',
  '"a/b\\\\c"',
  '"C:\\\\a"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"2026-02-30T25:61:61Z"',
  '"0000-01-01T00:00:00Z"',
  '"+275760-09-13T00:00:00.001Z"',
  '"2026-03-01T09:00:00.123456789+14:00"',
  '"blob:sha256:0000000000000000000000000000000000000000000000000000000000000000"',
  '"data:image/png;base64,////"',
  '"data:;base64,"',
  '"<system-reminder>x</system-reminder>"',
  '"sidecar:a"',
  '"a#text"',
  '"00000000000000000000000000000000"',
  "[]",
  "{}",
  "[null]",
  "[[]]",
  "[{}]",
  '["a",1,{"type":"text"}]',
  '[{"type":"text"},{"type":"text","text":""},{"type":"text","text":7}]',
  '[{"type":"tool_result"},{"type":"tool_use","id":1}]',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"a":1,"a":2}',
  '{"":""}',
  '{"0":1,"-1":2}',
  '{"length":3}',
  '{"rawJSON":"1"}',
  '{"pond_truncated":{"bytes":1}}',
  '{"type":"bytes","bytes":[1]}',
  '{"toJSON":1,"then":2}',
  '{"toString":1,"valueOf":null}',
  '[{"toString":1}]',
] as const;

/** Keys with a meaning in JavaScript or in pond's own forms. */
const oddKeys = [
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "toJSON",
  "then",
  "length",
  "rawJSON",
  "",
  "0",
  "type",
  "id",
  "uuid",
  "parentUuid",
  "parentId",
  "timestamp",
  "role",
  "content",
  "message",
  "rest",
  "record",
  "source",
  "sidecar",
  "continues",
  "block.0",
] as const;

/** One such value; rarely a deep or long one. */
export function oddText(random: Random): string {
  if (!random.isIn(0.01)) return random.pick(oddTexts);
  const size = random.isIn(0.02) ? 10_000 : 50 + random.below(500);
  switch (random.below(4)) {
    case 0:
      return "[".repeat(size) + "]".repeat(size);
    case 1:
      return `${'{"a":'.repeat(size)}1${"}".repeat(size)}`;
    case 2:
      return JSON.stringify("x".repeat(size * 10));
    default:
      return "9".repeat(size);
  }
}

export function oddKey(random: Random): string {
  return random.pick(oddKeys);
}
