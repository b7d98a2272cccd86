import { expect, it } from "vitest";
import { attachedFilesStart } from "./attached-files.ts";

const file = '\n<context ref="file:///w/a.rs">\nfn weave() {}\n</context>';

it.each<[name: string, typed: string, attached: string]>([
  ["a prompt", "Why?", file],
  ["a mention of the file", "[@a.rs](file:///w/a.rs)", file],
  ["an empty prompt", "", file],
  ["a prompt with two files", "Why?", `${file}${file}`],
  [
    "a prompt with a file that holds such tags",
    "Why?",
    `\n<context ref="zed:///a">\n<context>${file}\n</context>`,
  ],
  ["a prompt without a file", "Why?", ""],
  ["a context tag whose reference is no file", 'Why?\n<context ref="loom">\na\n</context>', ""],
  ["a context tag without a reference", "Why?\n<context>\na\n</context>", ""],
  ["a context tag in a code block", `Why?\n\`\`\`${file}\n\`\`\``, ""],
  ["a context tag in a sentence", 'What is <context ref="file:///a">\na\n</context>', ""],
])(
  "finds where an editor's attached files begin after %s (spec 6.5, rule 1)",
  (_, typed, attached) => {
    expect(attachedFilesStart(`${typed}${attached}`)).toBe(typed.length);
  },
);
