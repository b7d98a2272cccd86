import { readFileSync } from "node:fs";

/** A program of a page, and the lines that the page says it prints. */
export type Example = { readonly page: string; readonly code: string; readonly printed: string };

/** The programs of a page. Each block is one, but the blocks of docs/adapters.md form one. */
export function examplesOf(page: string): readonly Example[] {
  const blocks = [...readFileSync(page, "utf8").matchAll(/```ts\n(.*?)```/gs)];
  const codes = blocks.map(([, code = ""]) => code);
  const programs = page === "docs/adapters.md" ? [codes.join("\n")] : codes;
  return programs.map((code) => ({
    page,
    code,
    printed: [...code.matchAll(/^\/\/ prints: (.*)$/gm)].map(([, line]) => line).join("\n"),
  }));
}
