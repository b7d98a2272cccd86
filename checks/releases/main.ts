// The sweep over releases of real clients: `pnpm releases --help` says what it takes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { memoryFolder } from "../memory-folder.ts";
import { endAllOf } from "./end-all.ts";
import type { ReleaseReport } from "./examine-release.ts";
import { releaseNamed } from "./release.ts";
import { releases } from "./releases.ts";

const usage = `usage: pnpm releases [options] [CLIENT@VERSION...]

  --keep FOLDER   copy what each release wrote to a folder of its name there
  --json          print what was found of each release as JSON, one a line
  --list          name the releases that are looked at where none are named

Installs each release from npm, makes it work in a throw-away home with a stand-in for its model,
stores the sessions, restores them, translates them, and removes it again. Exits with 1 where
anything is not as it was, counts as what it is not, or is of a kind that nobody has heard of.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    keep: { type: "string" },
    json: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

// Some releases are a hundred thousand files.
const place = memoryFolder() ?? tmpdir();

if (values.help) console.log(usage);
else if (values.list) console.log(releases.join("\n"));
else process.exitCode = await sweep(positionals.length > 0 ? positionals : releases);

async function sweep(names: readonly string[]): Promise<number> {
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
  let isWrong = false;
  for (const name of names) releaseNamed(name);
  for (const name of names) {
    const report = await examineRelease(name);
    isWrong ||= typeof report === "string" || report.problems.length > 0;
    if (values.json) {
      const found = typeof report === "string" ? { failed: report } : report;
      console.log(JSON.stringify({ release: name, ...found }));
    } else console.log(describe(name, report));
  }
  return isWrong ? 1 : 0;
}

function describe(name: string, report: ReleaseReport | string): string {
  if (typeof report === "string") return `${name}: could not be looked at\n  ${report}`;
  const { sessions, messages, calls, problems, notes, cannot } = report;
  return [
    `${name}: ${sessions} sessions, ${messages} messages, ${calls} calls, ${problems.length} problems`,
    ...problems.map((line) => `  PROBLEM ${line}`),
    ...notes.map((line) => `  note: ${line}`),
    ...cannot.map((line) => `  cannot ${line.replaceAll(/\s+/g, " ")}`),
  ].join("\n");
}

/** Examines a release. Everything that it needs or leaves is in one folder, which is removed. */
async function examineRelease(name: string): Promise<ReleaseReport | string> {
  const folder = mkdtempSync(join(place, "pond-release-"));
  const answer = join(folder, "answer.json");
  const kept = values.keep === undefined ? [] : [resolve(values.keep, name.replace("@", "-"))];
  for (const path of kept) {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { recursive: true });
  }
  const program = join(import.meta.dirname, "examine-release.ts");
  const args = ["--conditions=@pond/source", "--disable-warning=ExperimentalWarning"];
  const child = spawn(process.execPath, [...args, program, name, answer, ...kept], {
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
      TMPDIR: folder,
      POND_CLIENT_CACHE: join(folder, "clients"),
      // Some releases also install a browser, which is not needed here.
      PUPPETEER_SKIP_DOWNLOAD: "1",
    },
    timeout: 15 * 60_000,
  });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said = `${said}${chunk}`.slice(-2_000);
  });
  const leave = (): void => {
    endAllOf(folder, child.pid);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once("exit", leave);
  try {
    await once(child, "exit");
    return existsSync(answer) ? JSON.parse(readFileSync(answer, "utf8")) : said.trim();
  } finally {
    process.off("exit", leave);
    leave();
  }
}
