import { expect, it } from "vitest";
import { describeArchiveRedaction } from "./redaction.ts";

const made = "It was redacted when it was made";

it.each([
  [[], `${made}; no secret of a known form was found then.`],
  [[["jwt", 1]], `${made}: placeholders stand for 1 secret (1 jwt).`],
  [[["user-name", 1]], `${made}: placeholders stand for 1 user name.`],
  [
    [
      ["user-name", 1095],
      ["github-token", 2],
      ["jwt", 1],
    ],
    `${made}: placeholders stand for 3 secrets (2 github-token, 1 jwt) and 1,095 user names.`,
  ],
  [[["\u001b[31m", 2]], `${made}: placeholders stand for 2 secrets (2 ␛[31m).`],
] as const)("counts the redactions %j, user names separately", (counts, expected) => {
  const text = describeArchiveRedaction(counts.map(([rule, count]) => ({ rule, count })));

  expect(String(text)).toBe(expected);
});
