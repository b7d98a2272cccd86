import { expect, test } from "vitest";
import { visible, visibleLine } from "./visible.ts";

test.each([
  ["a direction override", "user\u202egnp.exe", "user⟨U+202E⟩gnp.exe"],
  ["invisible tag characters, which models read", "hi\u{e0041}\u{e007f}", "hi⟨U+E0041⟩⟨U+E007F⟩"],
  ["tag characters behind a flag", "\u{1f3f4}\u{e0041}\u{e007f}", "\u{1f3f4}⟨U+E0041⟩⟨U+E007F⟩"],
  [
    "tag letters behind a flag that name no region",
    "\u{1f3f4}\u{e006f}\u{e0062}\u{e0065}\u{e0079}\u{e007f}",
    "\u{1f3f4}⟨U+E006F⟩⟨U+E0062⟩⟨U+E0065⟩⟨U+E0079⟩⟨U+E007F⟩",
  ],
  ["a regional flag, joined emoji and Chinese as they are", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 👩‍👩‍👧 中文", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 👩‍👩‍👧 中文"],
])("shows %s", (_, text, expected) => {
  expect([visible(text), visibleLine(text)]).toEqual([expected, expected]);
});

test("cuts no character of a line in two", () => {
  expect(visibleLine("aa\u{1f986}b", 4)).toBe("aa…");
});
