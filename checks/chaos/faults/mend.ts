import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { messageToWire, type WireMessage } from "@pond/canonical";
import { loadLineage, openSessions } from "@pond/sessions";
import { defineFault, type Fault } from "../fault.ts";

type Verdict = { readonly damages: readonly { readonly files: readonly string[] }[] };

/** Of the tables of messages and parts, one is older than the other, or has other values. */
const ways = {
  "an older state": (below: string) => {
    const [newest = ""] = globSync("_versions/*.manifest", { cwd: below }).sort();
    rmSync(join(below, newest));
  },
  "a flipped bit": (below: string, share: number) => {
    const [file = ""] = globSync("data/*.lance", { cwd: below }).sort();
    const path = join(below, file);
    const bytes = readFileSync(path);
    const at = Math.floor(bytes.length * share);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << Math.floor(share * 8)), at);
    writeFileSync(path, bytes);
  },
} as const;

/** Every message as it is shown now, by session and id. */
async function shownMessages(storage: string): Promise<Map<string, WireMessage>> {
  const sessions = await openSessions(storage);
  try {
    const rows = await sessions.store.table("sessions").rows({ columns: ["id"] });
    const shown = new Map<string, WireMessage>();
    for (const { id } of rows) {
      const { root } = await loadLineage(sessions, String(id));
      for (const message of root.messages) {
        shown.set(JSON.stringify([id, message.id]), messageToWire(message));
      }
    }
    return shown;
  } finally {
    sessions.close();
  }
}

/** Damage that `pond sync --verify` has to mend, because the clients still hold the data. */
export const mends: readonly Fault[] = [
  defineFault({
    name: "damage/mended",
    about:
      "the newest state of messages or parts is gone, or a bit of them is flipped: if all can be read, `sync --verify` shows every message again as its client has it",
    runs: 40,
    prepare: async (workshop) => {
      const { home } = await workshop.grown();
      return { home, truth: await shownMessages(home.storage), sync: workshop.sync };
    },
    async inflict({ home: from }, { home: homeOf, random }) {
      const home = homeOf(from);
      const table = random.pick(["messages", "parts"] as const);
      const way = random.pick(["an older state", "a flipped bit"] as const);
      ways[way](join(home.storage, `${table}.lance`), random.share());
      return { home, what: `${way} of ${table}` };
    },
    async check({ truth, sync: args }, { home, what }) {
      const { stdout } = await home.pond("status", "--verify", "--json");
      const tables: readonly Verdict[] = JSON.parse(stdout).tables;
      const isReadable = tables.every(({ damages }) => damages.every((each) => !each.files.length));
      const sync = await home.pond(...args, "--verify");
      // Tables that cannot be read cannot be compared.
      if (!isReadable) return sync.code === null ? [`${what}: ${sync.stderr}`] : [];
      if (sync.code !== 0)
        return [`${what}: ended with ${sync.code}: ${sync.stdout}${sync.stderr}`];
      const shown = await shownMessages(home.storage);
      return [...truth]
        .filter(([key, message]) => !isDeepStrictEqual(shown.get(key), message))
        .map(([key]) => `${what}: ${key} is not shown as it was written`);
    },
  }),
];
