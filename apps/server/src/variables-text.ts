import type { Variable } from "./variable.ts";
import { variables } from "./variables.ts";

const usage = `pond-server: many tenants on one object store, over HTTP and MCP

Usage: pond-server                    serves until it is told to stop
       pond-server --check            checks environment, storage and model, says what it found, and ends
       pond-server --provision NAME   makes the empty store of a tenant, and ends; more than once, of each
       pond-server --help | --version

It is configured by its environment, which may say nothing else that begins with POND_:
`;

/** What `--help` says. */
export function help(): string {
  const entries = entriesOf().map(([name, { about, allowed, fallback }]) => {
    const otherwise = fallback === undefined ? "" : `; default ${fallback}`;
    return `  ${name}\n      ${about}\n      ${allowed}${otherwise}\n`;
  });
  return `${usage}\n${entries.join("")}`;
}

/** The same for the README, as a table. */
export function markdownTable(): string {
  const rows = entriesOf().map(([name, { about, allowed, fallback }]) => [
    `\`${name}\``,
    about,
    allowed,
    fallback === undefined ? "" : `\`${fallback}\``,
  ]);
  const table = [["Variable", "What it sets", "Allowed", "Default"], ...rows];
  const widths = [0, 1, 2, 3].map((at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[], fill = " "): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0, fill)).join(" | ")} |`;
  const [head = [], ...body] = table;
  return [line(head), line(["", "", "", ""], "-"), ...body.map((row) => line(row))].join("\n");
}

function entriesOf(): [string, Variable<unknown>][] {
  return Object.entries<Variable<unknown>>(variables);
}
