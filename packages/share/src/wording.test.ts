import { expect, it } from "vitest";
import { createRedactor } from "./redact/redactor.ts";
import { closingNotes } from "./wording.ts";

const times = "Times are universal time. Written by pond.";

it.each([
  ["nothing", "1 message. Looked for secrets; none of a known form was found."],
  ["/home/ada", "1 message. Replaced: 1 user name."],
  ["?sig=aB3dE6gH9jK2mN5p", "1 message. Replaced: 1 secret (1 signed-url)."],
  [
    "?sig=aB3dE6gH9jK2mN5p /home/ada /home/ada",
    "1 message. Replaced: 1 secret (1 signed-url) and 2 user names.",
  ],
])("says below a page what was replaced in %j", (text, expected) => {
  const redactor = createRedactor({ userNames: true });
  redactor.text(text);

  expect(closingNotes({ count: 1, silent: 0 }, redactor)).toBe(`${expected} ${times}`);
});
