import {
  appendFileSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { finished } from "../../e2e/pond.ts";
import { storedRows } from "../../e2e/rows.ts";
import { defineFault, type Fault } from "../fault.ts";
import { lostRows } from "../invariants.ts";
import type { Random } from "../random.ts";
import { turnLines } from "../transcripts.ts";

/** Things that a client or its user does to a session's file. */
const changes: readonly [Change, ...Change[]] = [
  (path, turn) =>
    appendFileSync(
      path,
      turnLines(1, turn)
        .map((line) => `${line}\n`)
        .join(""),
    ),
  (path, turn) => appendFileSync(path, turnLines(2, turn).join("\n").slice(0, 500)),
  (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  (path) => renameSync(path, `${path}.1`),
  (path) => rmSync(path),
  (path) => {
    rmSync(path);
    mkdirSync(path);
  },
];
type Change = (path: string, turn: number) => void;

export const sourceFaults: readonly Fault[] = [
  defineFault({
    name: "sources/changing",
    about:
      "files grow, shrink, rotate, vanish and become folders while they are read: nothing stored is lost, the next sync completes, the one after finds nothing",
    runs: 40,
    async prepare(workshop) {
      await workshop.grown();
      return { ...(await workshop.first()), client: workshop.source };
    },
    async inflict({ home: from, client }, trial) {
      const home = trial.home(from);
      const source = join(home.folder, "client");
      cpSync(client, source, { recursive: true });
      const args = ["sync", "claude-code", "--path", source, "--json"];
      const child = home.start(...args);
      const end = finished(child);
      while (child.exitCode === null && child.signalCode === null) {
        changeSome(source, trial.random);
        await sleep(trial.random.below(12));
      }
      return { home, source, args, end: await end };
    },
    async check({ rows }, { home, source, args, end }) {
      if (end.code !== 0 && end.code !== 3) return [`ended with ${end.code}: ${end.stderr}`];
      const before = (await storedRows(home.storage)).rows;
      const next = await home.pond(...args);
      const after = await storedRows(home.storage);
      const last = JSON.parse((await home.pond(...args)).stdout).adapters[0];
      return [
        ...after.duplicates.map((row) => `twice: ${row}`),
        ...lostRows(rows, after.rows),
        ...lostRows(before, after.rows),
        ...(next.code === 0 || next.code === 3 ? [] : [`then with ${next.code}: ${next.stderr}`]),
        ...(last.messages_added === 0 ? [] : [`found ${last.messages_added} again`]),
        ...missingRecords(
          source,
          new Set([...(after.rows.get("messages")?.values() ?? [])].map(({ id }) => id ?? "")),
        ),
      ].slice(0, 20);
    },
  }),
];

function changeSome(source: string, random: Random): void {
  const files = globSync("projects/*/*.jsonl", { cwd: source });
  const file = files[random.below(files.length)];
  if (file === undefined) return;
  try {
    random.pick(changes)(join(source, file), 30 + random.below(20));
  } catch (error) {
    // The path is a folder by now.
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
}

/** Records that are whole in the files but not in the store. */
function missingRecords(source: string, ids: ReadonlySet<string>): string[] {
  return globSync("projects/-work-pond/*.jsonl", { cwd: source }).flatMap((file) => {
    const path = join(source, file);
    if (!statSync(path).isFile()) return [];
    return readFileSync(path, "utf8")
      .split("\n")
      .slice(0, -1)
      .flatMap((line) => {
        const uuid = /^\{"type":"\w+","uuid":"([^"]+)".*\}$/.exec(line)?.[1];
        // A cut line is joined to the next one: together they are a reported fault, not a record.
        if (uuid === undefined || ids.has(uuid) || !isJson(line)) return [];
        return [`not stored: ${file} ${uuid}`];
      });
  });
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
