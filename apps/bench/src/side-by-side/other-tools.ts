import type { Bench } from "./bench.ts";
import type { Contender } from "./measure.ts";
import { linesIn } from "./outcome.ts";
import type { Programs } from "./programs.ts";

const kind = "process";

/** Finds the files that hold all texts of a query, in any part of them. */
export function ripgrepContenders({ queries, run }: Bench, { ripgrep }: Programs): Contender[] {
  if (ripgrep === undefined) return [];
  return queries.map(({ operation, texts }) => {
    const [first = "", ...others] = texts.map(
      (text) => `'${ripgrep}' -l0iF -e '${text.replaceAll("'", "'\\''")}'`,
    );
    // Each narrows down what the one before it found.
    const line = [`${first} projects`, ...others.map((each) => `xargs -0r ${each}`)].join(" | ");
    return {
      ...{ operation, tool: "ripgrep", kind },
      answers: "files in any order, tool output searched too; no index",
      run: () => {
        const { stdout, ...spent } = run("sh", ["-c", line], [0, 1, 123]);
        return { ...spent, found: linesIn(stdout.replaceAll("\0", "\n")) };
      },
    };
  });
}

/** Answers what the lines of JSON tell if all of them are read. */
export function jqContenders({ corpus, queries, run }: Bench, { jq }: Programs): Contender[] {
  if (jq === undefined) return [];
  const files = corpus.files.map((file) => file.slice(corpus.home.length + 1));
  const contender = (operation: string, answers: string, ...args: string[]): Contender => ({
    ...{ operation, tool: "jq", kind, answers },
    run: () => {
      const { stdout, ...spent } = run(jq, ["-r", ...args, ...files]);
      return { ...spent, found: new Set(stdout.split("\n").filter(Boolean)).size };
    },
  });
  const [sessions, projects] = ["sessionId", "cwd"].map((by) => [
    "-n",
    `reduce (inputs | select(.${by})) as $line ({}; .[$line.${by}] |= {n: (.n + 1), last: ($line.timestamp // .last)}) | to_entries[] | "\\(.key) \\(.value.n) \\(.value.last)"`,
  ]);
  return [
    contender("read everything", "nothing: every line parsed", "empty"),
    ...queries.map(({ operation, texts }) => {
      const tests = texts.map((text) => `test(${JSON.stringify(text)}; "i")`).join(" and ");
      const program = `select(.message.content | tostring | ${tests}) | .sessionId`;
      return contender(
        operation,
        "sessions in any order, tool output searched too; no index",
        program,
      );
    }),
    contender("list sessions", "messages, last activity", ...(sessions ?? [])),
    contender("count by project", "messages, last activity", ...(projects ?? [])),
  ];
}

/** Counts tokens and cost, and keeps nothing. */
export function ccusageContenders({ run }: Bench, { ccusage }: Programs): Contender[] {
  if (ccusage === undefined) return [];
  const contender = (operation: string, answers: string, key: string, ...args: string[]) => ({
    ...({ operation, tool: "ccusage", kind, answers } as const),
    run: () => {
      const { stdout, ...spent } = run(ccusage, [...args, "--offline", "--json"]);
      return { ...spent, found: Object.keys(JSON.parse(stdout)[key]).length };
    },
  });
  const days = "tokens and cost of each day; no text";
  return [
    contender("read everything", days, "daily", "claude", "daily"),
    contender("again, nothing new", days, "daily", "claude", "daily"),
    contender("list sessions", "tokens and cost of each", "sessions", "claude", "session"),
    contender(
      "count by project",
      "tokens and cost of each",
      "projects",
      "claude",
      "daily",
      "--instances",
    ),
  ];
}

/** Counts tokens and cost, and keeps a cache of the counts. */
export function codeburnContenders({ run }: Bench, { codeburn }: Programs): Contender[] {
  if (codeburn === undefined) return [];
  const range = ["--from", "2026-01-01", "--to", "2027-12-31", "--provider", "claude"];
  const contender = (operation: string, answers: string, isOnce: boolean): Contender => ({
    ...{ operation, tool: "codeburn", kind, answers, isOnce },
    run: () => {
      const { stdout, ...spent } = run(codeburn, ["report", "--format", "json", ...range]);
      return { ...spent, found: JSON.parse(stdout).projects.length };
    },
  });
  return [
    contender("read everything", "tokens, cost, kinds of task; no text", true),
    contender("again, nothing new", "the same, from its cache", false),
    contender("count by project", "the same, from its cache", false),
  ];
}
