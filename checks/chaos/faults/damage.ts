import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PondError } from "@pond/canonical";
import { type Rows, storedRows } from "../../e2e/rows.ts";
import { defineFault, type Fault } from "../fault.ts";

const kinds = {
  "data file": "data/*.lance",
  manifest: "_versions/*.manifest",
  index: "_indices/*/*",
} as const;

const ways = {
  deleted: (path: string) => rmSync(path),
  cut: (path: string, share: number) => {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length * share)));
  },
  zeros: (path: string) => writeFileSync(path, Buffer.alloc(readFileSync(path).length)),
  flipped: (path: string, share: number) => {
    const bytes = readFileSync(path);
    const at = Math.floor(bytes.length * share);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << Math.floor(share * 8)), at);
    writeFileSync(path, bytes);
  },
} as const;

type Way = keyof typeof ways;

const tables = ["sessions", "messages", "parts", "windows"] as const;

type Verdict = {
  readonly name: string;
  readonly readable_rows: number;
  readonly damages: readonly { readonly files: readonly string[] }[];
};

const descriptions = {
  "data file":
    "a data file of a table deleted, cut, zeroed or with a bit flipped: `status --verify` names what cannot be read, and each message or part that reads as another; other tables stay whole",
  manifest:
    "the newest manifest of a table deleted, cut, zeroed or with a bit flipped: `status --verify` names one that is torn; other tables stay whole",
  index: "a file of an index deleted, cut, zeroed or with a bit flipped: every row stays readable",
} as const;

// The columns that the digest of a message covers. It covers neither a carrier's time nor the form
// of a text that only the index sees.
const digestedColumns = {
  messages: ["role", "content", "options", "digest", "revision"],
  parts: ["ordinal", "type", "provenance", "variant_data", "data", "options"],
} as const;

/** Messages and parts that have other values now, without those that cannot be read at all. */
async function changedRows(storage: string, rows: Rows): Promise<string[]> {
  const found = await storedRows(storage).catch((error: unknown) => {
    if (PondError.is(error)) return undefined;
    throw error;
  });
  if (found === undefined) return [];
  return (["messages", "parts"] as const).flatMap((table) =>
    [...(rows.get(table) ?? [])].flatMap(([key, row]) => {
      const other = found.rows.get(table)?.get(key);
      const isSame = other && digestedColumns[table].every((name) => row[name] === other[name]);
      return isSame || (other === undefined && table === "messages") ? [] : [`${table} ${key}`];
    }),
  );
}

/** One file of one table is damaged, as by a failing disk. */
export const damages: readonly Fault[] = (Object.keys(kinds) as (keyof typeof kinds)[]).map(
  (kind) =>
    defineFault({
      name: `damage/${kind}`,
      about: descriptions[kind],
      runs: 24,
      prepare: (workshop) => workshop.grown(),
      async inflict({ home: from }, { home: homeOf, random }) {
        const home = homeOf(from);
        const table = random.pick(tables);
        const below = join(home.storage, `${table}.lance`);
        const files = globSync(kinds[kind], { cwd: below }).sort();
        // The newest manifest sorts first. Every data file that it names counts.
        const file = join(below, files[kind === "manifest" ? 0 : random.below(files.length)] ?? "");
        const way: Way = random.pick(["deleted", "cut", "zeros", "flipped"]);
        ways[way](file, random.share());
        return { home, table, file, way };
      },
      async check({ rows }, { home, table, file, way }) {
        const { code, stdout, stderr } = await home.pond("status", "--verify", "--json");
        if (code !== 0 && code !== 3) return [`${way} ${file}: ended with ${code}: ${stderr}`];
        const verdicts: readonly Verdict[] = JSON.parse(stdout).tables;
        const problems = verdicts
          .filter(({ name }) => name !== table || kind === "index")
          .filter(({ name, readable_rows }) => readable_rows !== rows.get(name)?.size)
          .map(({ name }) => `${way} ${file}: of ${name} not all is readable`);
        const own = verdicts.find(({ name }) => name === table);
        const isNamed = own?.damages.some(({ files }) => files.includes(file)) ?? false;
        // Nobody can tell that a deleted manifest was there, and an older version may be read.
        const isTorn = way === "cut" || way === "zeros";
        const hasToBeNamed =
          (kind !== "index" && isTorn) || (kind === "data file" && way === "deleted");
        if (way === "flipped" && verdicts.every(({ damages }) => damages.length === 0)) {
          const others = await changedRows(home.storage, rows);
          problems.push(...others.map((row) => `${way} ${file}: ${row} reads as another`));
        }
        const isUsed = kind === "manifest" || own?.readable_rows !== rows.get(table)?.size;
        if (hasToBeNamed && isUsed && !isNamed) problems.push(`${way} ${file}: is not named`);
        // Every other command gets a typed answer.
        for (const args of [["list"], ["search", "herons"], ["status"]]) {
          const asked = await home.pond(...args, "--json");
          if (asked.code === null || /"code":"internal","message":(?!.*kind)/.test(asked.stdout)) {
            problems.push(
              `${way} ${file}: ${args.join(" ")}: ${asked.stdout}${asked.stderr}`.slice(0, 900),
            );
          }
        }
        return problems;
      },
    }),
);
