import type { Damage, TableVerdict } from "@pond/substrate";
import type { Context } from "./context.ts";
import { shortenHome } from "./directories.ts";
import { type ExitCode, exitCodes } from "./exit.ts";
import { onInterrupt } from "./interrupt.ts";
import { printJson } from "./output/json.ts";
import { formatCounted } from "./output/numbers.ts";
import { say, shown, shownLine } from "./output/shown.ts";

/** What `pond status --verify --json` prints. */
type VerifyWire = {
  readonly location: string;
  readonly tables: readonly {
    readonly name: string;
    readonly readable_rows: number;
    readonly damages: readonly Damage[];
  }[];
};

/** Reads all that is stored and tells what cannot be read, also where the store does not open. */
export async function verifyStored(context: Context): Promise<ExitCode> {
  const { output, settings } = context;
  const { sessionTables: tables } = await import("@pond/sessions");
  const { verifyStore } = await import("@pond/substrate");
  const { location, storageOptions } = settings;
  const { signal, stop } = onInterrupt();
  try {
    const verdicts = await verifyStore(location, { tables, storageOptions, signal });
    if (output.isJson) await printJson(output, toWire(location, verdicts));
    else print(context, verdicts);
    const isDamaged = verdicts.some(({ damages }) => damages.length > 0);
    return isDamaged ? exitCodes.doneWithFaults : exitCodes.done;
  } finally {
    stop();
  }
}

function toWire(location: string, verdicts: readonly TableVerdict[]): VerifyWire {
  const tables = verdicts.map(({ name, readableRows, damages }) => ({
    ...{ name, readable_rows: readableRows, damages },
  }));
  return { location, tables };
}

function print({ output, home }: Context, verdicts: readonly TableVerdict[]): void {
  for (const { name, readableRows, damages } of verdicts) {
    const rows = formatCounted(readableRows, "row");
    const rest = shown(damages.length === 0 ? "all of it" : "not all of it");
    if (!output.isQuiet) output.line(say`${shownLine(name)}: ${rows} can be read, ${rest}`);
    for (const { files, reason, rows: lost } of damages) {
      const where = shownLine(files.map((file) => shortenHome(file, home)).join(", ") || name);
      const cost = lost === undefined ? shown("") : say` (${formatCounted(lost, "row")})`;
      output.warn(say`${where}: ${shownLine(reason)}${cost}`);
    }
  }
  if (verdicts.every(({ damages }) => damages.length === 0)) return;
  output.note(
    shown(
      "Copy the folder away before anything else. What the clients still hold comes back with `pond sync` into a new --storage; `pond import` brings what was exported.",
    ),
  );
}
