import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { loadConfig } from "../../apps/cli/src/config.ts";
import { directoriesOf } from "../../apps/cli/src/directories.ts";
import { type Block, type Step, stepsOf, textOf } from "./blocks.ts";
import type { OpenPage } from "./open-page.ts";
import { cutLikePage, matchesPage } from "./printed.ts";

type BlockResult = {
  readonly ran: number;
  readonly wrong: readonly string[];
  /** What the block should say, if the command printed something else. */
  readonly renewed?: { readonly text: string; readonly differences: readonly string[] };
};

/** Blocks with nothing to run: pictures, and files that are not pond's. */
const shownOnly = ["", "text", "html", "markdown", "nginx", "sql", "python"];

export async function runBlock(block: Block, file: string, page: OpenPage): Promise<BlockResult> {
  const { language, text } = block;
  if (language === "sh") return isInstall(file, text) ? fine : runScript(text, page);
  if (language === "console") return runSteps(stepsOf(text), page);
  if (language === "toml") return useConfig(text, page);
  if (language === "json") return attempt(() => JSON.parse(text));
  // checks/readme.test.ts runs `ts`; `js` is a part of something longer.
  if (language === "ts" || language === "js") return { ran: 0, wrong: [] };
  const isCommand = language === "" && /^(\$|pond|npm|npx|node) /m.test(text);
  if (shownOnly.includes(language) && !isCommand) return { ran: 0, wrong: [] };
  return { ran: 0, wrong: [`a block of language "${language}" is neither run nor marked`] };
}

const fine: BlockResult = { ran: 1, wrong: [] };

/** A package's README says how to install that package. The registry is not asked. */
function isInstall(file: string, text: string): boolean {
  const manifest = file.replace(/README\.md$/, "package.json");
  if (manifest === file || !existsSync(manifest) || !/^npm install .*\n$/.test(text)) return false;
  const { name } = JSON.parse(readFileSync(manifest, "utf8"));
  return text.split(/\s/).includes(name);
}

async function runScript(text: string, page: OpenPage): Promise<BlockResult> {
  const { code, lines } = await page.script(text);
  return code === 0 ? fine : { ran: 1, wrong: [`exit code ${code}:\n${lines.join("\n")}`] };
}

async function runSteps(steps: readonly Step[], page: OpenPage): Promise<BlockResult> {
  const wrong: string[] = [];
  const differences: string[] = [];
  const actual: Step[] = [];
  for (const [at, { command, expected }] of steps.entries()) {
    const { code, lines } = await page.command(command);
    const isSame = matchesPage(expected, lines);
    actual.push({ command, expected: isSame ? expected : cutLikePage(expected, lines) });
    if (!isSame) differences.push(`"${command}" printed:\n${lines.join("\n")}`);
    if (code !== 0 && steps[at + 1]?.command !== "echo $?") {
      wrong.push(`"${command}" ended with ${code}: let echo $? follow it`);
    }
  }
  const renewed = { text: textOf(actual), differences };
  return { ran: steps.length, wrong, ...(differences.length > 0 && { renewed }) };
}

/** TOML on a page is pond's configuration from there on. */
async function useConfig(text: string, page: OpenPage): Promise<BlockResult> {
  const home = await page.home();
  const POND_CONFIG = home.write(".config/pond/config.toml", text);
  return attempt(() => loadConfig({ POND_CONFIG }, directoriesOf({}, home.folder)));
}

async function attempt(read: () => unknown): Promise<BlockResult> {
  try {
    await read();
    return fine;
  } catch (error) {
    return { ran: 1, wrong: [String(error)] };
  }
}

/** A block that is not run has to be at least valid bash. */
export function syntaxFaults({ language, text }: Block): string[] {
  if (language !== "sh" && language !== "console") return [];
  const commands = stepsOf(language === "console" ? text : "").map(({ command }) => command);
  const input = language === "sh" ? text : commands.join("\n");
  const { status, stderr } = spawnSync("bash", ["-n"], { input, encoding: "utf8" });
  return status === 0 ? [] : [stderr];
}
