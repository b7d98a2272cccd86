import fc from "fast-check";

/**
 * Stands in a generated text for a mark of its own (`mark12.`), which identifies the text wherever
 * a writer puts it. Only then can it be asked whether the text is still there.
 */
export const markPlace = "\uE000";

/** What clients have stumbled over; none is a tag that a client inserts. */
const oddities = [
  " ",
  "\n\n",
  "\r\n",
  "\t",
  "\u0000",
  "\u001b[31m",
  "\u2028",
  "\ufeff",
  "\u202e",
  "\ud800",
  "\udfff x",
  "🧵",
  "👩‍💻",
  "織機",
  "نول",
  "e\u0301",
  '"quoted" \\ and \\u0041',
  '{"json":1}',
  "```ts\n",
  "%s %d $1 {{x}}",
  "../..",
];

const words = ["Why does the loom skip", "every third thread", "the heddle is bent", "yes", "0"];

const piece = fc.oneof(
  fc.constantFrom(...words),
  fc.constantFrom(...oddities),
  fc.string({ unit: "grapheme", maxLength: 4 }),
);

const pieces = fc.array(piece, { maxLength: 3 }).map((parts) => parts.join(" "));

/** A text with a mark in it. */
export const markedText: fc.Arbitrary<string> = fc
  .tuple(pieces, pieces)
  .map(([before, after]) => `${before}${markPlace}${after}`);

/** Any text, sometimes one in which nothing is visible. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: markedText },
  { weight: 1, arbitrary: fc.constantFrom("", " ", "\n\t") },
);

/** Ids of sessions, most of which should not be used as file names. */
export const sessionName: fc.Arbitrary<string> = fc.constantFrom(
  "5e551000-0000-4000-8000-000000000001",
  "ses_loom",
  "../../../etc/passwd",
  "/abs\\..\\c:",
  "C:\\loom",
  "nul",
  "a\u0000b\n.. ",
  "..",
  ".",
  "~",
  "a/b",
  "織機 🧵",
  "__proto__",
  "long".repeat(100),
);

export const project: fc.Arbitrary<string> = fc.constantFrom(
  "/home/ada/loom",
  '/home/ada/a loom\'s "heddle"',
  "C:\\Users\\Ada\\loom",
  "/home/織機/🧵",
  "/",
  "../../etc",
  "loom",
);
