// docs/settings.md lists every flag, variable and key. The tables of flags are made from the
// program (UPDATE=1 writes them), and the rest is compared with what the program knows.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadConfig } from "../../apps/cli/src/config.ts";
import { processRuntime } from "../../apps/cli/src/context.ts";
import { directoriesOf } from "../../apps/cli/src/directories.ts";
import { createProgram } from "../../apps/cli/src/program.ts";
import { Home } from "../../apps/cli/src/testing.ts";

type Command = ReturnType<typeof createProgram>;
type Option = Command["options"][number];

const file = "docs/settings.md";
const [start, end] = ["<!-- made from the program -->\n", "<!-- until here -->\n"];
const text = (): string => readFileSync(file, "utf8");

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

test("docs/settings.md lists the flags of every command", () => {
  const program = createProgram(async () => undefined, processRuntime());
  const made = `\n${[["pond", program] as const, ...commandsOf("pond", program)]
    .map(([name, command]) => sectionOf(name, command))
    .join("\n")}\n`;
  const page = text();
  const [before = "", rest = ""] = page.split(start);
  const [said, after = ""] = rest.split(end);

  if (process.env["UPDATE"] === "1") {
    writeFileSync(file, `${before}${start}${made}${end}${after}`);
    return;
  }
  expect(said).toBe(made);
});

test("docs/settings.md lists every environment variable that the command reads", () => {
  const sources = globSync([
    "apps/cli/src/**/*.ts",
    "packages/{adapter-*,embed}/src/**/*.ts",
  ]).filter((path) => !/test|adapter-testkit|\/build-|\/start\.ts$/.test(path));
  const read = sources.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/\benv\["([A-Z_]+)"\]/g)].map(([, name = ""]) => name),
  );

  expect(new Set(read)).toContain("POND_STORAGE");
  expect([...new Set(read)].filter((name) => !text().includes(`\`${name}\``))).toEqual([]);
});

test.each([
  ["", "nonsense = 1"],
  ["adapters.codex.", "[adapters.codex]\nnonsense = 1"],
  ["embeddings.", '[embeddings]\nmodel = "m"\nnonsense = 1'],
  ["embeddings.", '[embeddings]\nfolder = "m"\nnonsense = 1'],
  [
    "embeddings.",
    '[embeddings]\nurl = "http://localhost"\nmodel = "m"\ndimension = 1\nnonsense = 1',
  ],
])(
  "docs/settings.md lists every key %s* of config.toml that the refusal of %j names",
  async (_, toml) => {
    const POND_CONFIG = home.write("config.toml", toml);
    const refusal = await loadConfig({ POND_CONFIG }, directoriesOf({}, home.folder)).then(
      () => expect.fail("the key was taken"),
      (error: unknown) => String(error),
    );

    const known = /known here: (.+)$/.exec(refusal)?.[1]?.split(", ") ?? [];
    expect(known).not.toEqual([]);
    expect(known.filter((key) => !text().includes(`\`${key}\``))).toEqual([]);
  },
);

function commandsOf(name: string, command: Command): (readonly [string, Command])[] {
  return command.commands.flatMap((each) => [
    [`${name} ${each.name()}`, each] as const,
    ...commandsOf(`${name} ${each.name()}`, each),
  ]);
}

function sectionOf(name: string, command: Command): string {
  const words = command.registeredArguments.map((each) => {
    const word = `${each.name()}${each.variadic ? "..." : ""}`;
    return each.required ? ` ${word.toUpperCase()}` : ` [${word.toUpperCase()}]`;
  });
  const about = `### \`${name}${words.join("")}\`\n\n${inCell(sentence(command.description()))}\n`;
  const rows = command.options.map((each) => [`\`${each.flags}\``, inCell(describe(each))]);
  return rows.length === 0 ? about : `${about}\n${alignedTable(["Flag", "What it does"], rows)}`;
}

/** The table as the formatter would write it. */
function alignedTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |\n`;
  return [head, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("");
}

function describe({ description, argChoices, defaultValue }: Option): string {
  const notes = [
    ...(argChoices ? [argChoices.join(", ")] : []),
    ...(typeof defaultValue === "string" ? [`${defaultValue} when left out`] : []),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join("; ")})`;
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
}

function inCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
