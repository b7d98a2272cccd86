import type { Variable } from "./variable.ts";
import { variables } from "./variables.ts";

const usage = `pond-server: many tenants on one object store, over HTTP and MCP

Usage: pond-server                    serve until told to stop
       pond-server --check            check environment, storage and model, report, and exit
       pond-server --provision NAME   create the empty store of a tenant, and exit; may be repeated
       pond-server --help | --version

The environment holds all settings. Any other variable that begins with POND_ is refused:
`;

/** The text of `--help`. */
export function help(): string {
  const entries = entriesOf().map(([name, { about, allowed, fallback }]) => {
    const otherwise = fallback === undefined ? "" : `; default ${fallback}`;
    return `  ${name}\n      ${about}\n      ${allowed}${otherwise}\n`;
  });
  return `${usage}\n${entries.join("")}`;
}

/** The same as a table for the README. */
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
