import { markdownTable } from "../shared/markdown-table.ts";
import { type Result, ratioOf } from "./measure.ts";

export type SideBySideFacts = {
  readonly machine: string;
  /** Versions of the other programs. */
  readonly versions: readonly string[];
  readonly messages: number;
  readonly sessions: number;
  readonly bytes: number;
  /** The value of `--messages`. */
  readonly asked: string;
};

/** The report as Markdown, for `reports/`. */
export function sideBySideReport(facts: SideBySideFacts, results: readonly Result[]): string {
  const { machine, versions, messages, sessions, bytes, asked } = facts;
  const kinds = [
    { kind: "process", title: "As a command, from its start to its end" },
    { kind: "open", title: "Asked where it is open already" },
  ] as const;
  const sections = [
    "# pond beside what one would use instead",
    `\`\`\`sh\nnode --conditions=@pond/source apps/bench/src/side-by-side.ts --messages ${asked}\n\`\`\``,
    `${machine}; ${versions.join(", ")}.`,
    `${messages.toLocaleString("en-US")} messages in ${sessions.toLocaleString("en-US")} generated sessions of Claude Code, ${(bytes / 1e6).toFixed(0)} MB. Everybody reads the same files in the same run, in turn; medians. A ratio is the time over pond's for the same: above 1 pond is faster, below it the other. \`found\` are messages, sessions or groups; what they are is in the last column, and it is not the same thing: ripgrep and jq look through what tools printed too, ccusage and codeburn keep no text at all.`,
    ...kinds.flatMap(({ kind, title }) => [`## ${title}`, tableOf(kind, results)]),
  ];
  return `${sections.join("\n\n")}\n`;
}

function tableOf(kind: Result["kind"], results: readonly Result[]): string {
  return markdownTable(
    ["operation", "with", "ms", "CPU ms", "ratio", "found", "answers"],
    results
      .filter((result) => result.kind === kind)
      .map((result) => [
        ...[result.operation, result.tool, milliseconds(result.wallMs)],
        ...[milliseconds(result.cpuMs), `${ratioOf(result, results).toFixed(2)}x`],
        ...[result.found.toLocaleString("en-US"), result.answers],
      ]),
  );
}

function milliseconds(value: number): string {
  return Number.isNaN(value) ? "" : value.toFixed(value < 10 ? 1 : 0);
}
