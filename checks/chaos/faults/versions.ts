import { connect } from "@lancedb/lancedb";
import type { Home } from "../../e2e/pond.ts";
import { defineFault, type Fault } from "../fault.ts";
import { differingRows } from "../invariants.ts";

const firstKeys = { sessions: "id", messages: "session_id", parts: "session_id" } as const;

/** Makes a table say that another version of pond made it. */
async function setVersion(home: Home, table: keyof typeof firstKeys, version: number) {
  const connection = await connect(home.storage);
  const handle = await connection.openTable(table);
  const metadata = { "pond:schema_version": String(version) };
  await handle.updateFieldMetadata([{ path: firstKeys[table], metadata }]);
  handle.close();
  connection.close();
}

const commands: readonly (readonly string[])[] = [["status"], ["list"], ["search", "herons"]];

export const versionFaults: readonly Fault[] = [
  defineFault({
    name: "versions/newer and older",
    about:
      "a table that a newer pond made is refused by every command with a typed error, and left alone; one that an older made is read",
    runs: 3,
    async prepare(workshop) {
      return { ...(await workshop.grown()), sync: workshop.sync };
    },
    async inflict({ home: from, sync }, trial) {
      const home = trial.home(from);
      const table = trial.random.pick(["sessions", "messages", "parts"]);
      const problems: string[] = [];
      await setVersion(home, table, 99);
      for (const args of [sync, ...commands]) {
        const { code, stdout } = await home.pond(...args, "--json");
        const isRefused = code === 1 && /schema version 99 is newer/.test(stdout);
        if (!isRefused) problems.push(`${args.join(" ")} of a newer ${table}: ${code} ${stdout}`);
      }
      await setVersion(home, table, 0);
      for (const args of commands) {
        const { code, stderr } = await home.pond(...args, "--json");
        if (code !== 0) problems.push(`${args.join(" ")} of an older ${table}: ${code} ${stderr}`);
      }
      return { home, problems };
    },
    check: async ({ rows }, { home, problems }) => [
      ...problems,
      ...(await differingRows(home.storage, rows)),
    ],
  }),
];
