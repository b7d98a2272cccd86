import { readFileSync, writeFileSync } from "node:fs";
import { type Block, blocksOf } from "./blocks.ts";
import { OpenPage } from "./open-page.ts";
import { runBlock, syntaxFaults } from "./run-block.ts";

/** The result of a page: one line for each problem, and for each block not run, with the reason. */
export type PageReport = {
  readonly wrong: readonly string[];
  readonly notRun: readonly string[];
  /** Commands, files and documents that were run or read. */
  readonly ran: number;
};

/**
 * Runs the blocks of a page in their order, in one home and one shell.
 *
 * With `isUpdating` a `console` block that printed something else is written anew.
 */
export async function runPage(file: string, isUpdating: boolean): Promise<PageReport> {
  const text = readFileSync(file, "utf8");
  const wrong: string[] = [];
  const notRun: string[] = [];
  const renewed: { readonly block: Block; readonly text: string }[] = [];
  let ran = 0;
  const page = new OpenPage();
  try {
    for (const block of blocksOf(text)) {
      const at = (what: string): string => `${file}:${block.line}: ${what}`;
      if (block.notRun !== undefined) {
        notRun.push(at(block.notRun));
        wrong.push(...syntaxFaults(block).map(at));
        continue;
      }
      const result = await runBlock(block, file, page);
      ran += result.ran;
      wrong.push(...result.wrong.map(at));
      if (result.renewed === undefined) continue;
      if (isUpdating) renewed.push({ block, text: result.renewed.text });
      else wrong.push(...result.renewed.differences.map(at));
    }
  } finally {
    page.close();
  }
  if (renewed.length > 0) writeFileSync(file, withRenewed(text, renewed));
  return { wrong, notRun, ran };
}

function withRenewed(
  page: string,
  renewed: readonly { readonly block: Block; readonly text: string }[],
): string {
  // From the last one up, so that positions stay valid.
  return renewed.reduceRight(
    (before, { block: { start, text: old }, text }) =>
      `${before.slice(0, start)}${text}${before.slice(start + old.length)}`,
    page,
  );
}
