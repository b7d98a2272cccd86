import type { ContentCheck, Damage, TableVerdict } from "@pond/substrate";
import type { Context } from "./context.ts";
import { shortenHome } from "./directories.ts";
import { type ExitCode, exitCodes } from "./exit.ts";
import { onInterrupt } from "./interrupt.ts";
import { printJson } from "./output/json.ts";
import { formatCount, formatCounted } from "./output/numbers.ts";
import { describeRate, fitted, type Pace, ProgressLine } from "./output/progress.ts";
import { type Shown, say, shown, shownLine } from "./output/shown.ts";

/** What `pond status --verify --json` prints. */
type VerifyWire = {
  readonly location: string;
  readonly tables: readonly {
    readonly name: string;
    readonly readable_rows: number;
    readonly damages: readonly Damage[];
    /** Absent if there are none. */
    readonly unchecked_rows?: number;
  }[];
};

/** Reads everything stored and reports what cannot be read, even if the store does not open. */
export async function verifyStored(context: Context): Promise<ExitCode> {
  const { output, settings } = context;
  const { checkContent, sessionTables: tables } = await import("@pond/sessions");
  const { verifyStore } = await import("@pond/substrate");
  const { location, storageOptions } = settings;
  const progress = new ProgressLine(output);
  const { signal, stop } = onInterrupt();
  try {
    const content = drawn(checkContent(), progress);
    const verdicts = await verifyStore(location, { tables, storageOptions, content, signal });
    progress.clear();
    if (output.isJson) await printJson(output, toWire(location, verdicts));
    else print(context, verdicts);
    const isDamaged = verdicts.some(({ damages }) => damages.length > 0);
    return isDamaged ? exitCodes.doneWithFaults : exitCodes.done;
  } finally {
    progress.clear();
    stop();
  }
}

/** The same check, which also draws how many rows of all tables were read. */
function drawn(content: ContentCheck, progress: ProgressLine): ContentCheck {
  let rows = 0;
  const show = (): void => progress.show("check", { done: rows, total: 0 }, describeCheck);
  show();
  return {
    columns: content.columns,
    next: (tables) => content.next(tables),
    add(table, more) {
      rows += more.length;
      show();
      content.add(table, more);
    },
    finish: (damaged) => content.finish(damaged),
  };
}

/** Without a share: a store that cannot be opened does not say how many rows it has. */
function describeCheck({ done, elapsedMs, columns }: Pace): Shown {
  const rate = describeRate(done, elapsedMs, (each) => say`${formatCount(each)} rows/s`);
  return fitted([say`checking  ${formatCounted(done, "row")} read`, rate], columns);
}

function toWire(location: string, verdicts: readonly TableVerdict[]): VerifyWire {
  const tables = verdicts.map(({ name, readableRows, damages, uncheckedRows }) => ({
    ...{ name, readable_rows: readableRows, damages },
    ...(uncheckedRows !== undefined && { unchecked_rows: uncheckedRows }),
  }));
  return { location, tables };
}

function print({ output, home }: Context, verdicts: readonly TableVerdict[]): void {
  for (const { name, readableRows, damages, uncheckedRows = 0 } of verdicts) {
    const rows = formatCounted(readableRows, "row");
    const isAll = damages.every(({ rows }) => rows === 0);
    const rest = shown(isAll ? "all of it" : "not all of it");
    if (!output.isQuiet) output.line(say`${shownLine(name)}: ${rows} can be read, ${rest}`);
    for (const { files, reason, rows: lost, ids } of damages) {
      const where = shownLine(files.map((file) => shortenHome(file, home)).join(", ") || name);
      const cost = lost ? say` (${formatCounted(lost, "row")})` : shown("");
      output.warn(say`${where}: ${shownLine(reason)}${cost}${idsShown(ids)}`);
    }
    if (uncheckedRows > 0) {
      const unchecked = formatCounted(uncheckedRows, "row");
      output.warn(say`${shownLine(name)}: ${unchecked} cannot be checked against what was written`);
    }
  }
  if (verdicts.every(({ damages }) => damages.length === 0)) return;
  output.note(
    shown(
      "Copy the folder elsewhere before anything else. `pond sync --verify` mends messages that are not what was written, if a client still holds them. If files cannot be read, `pond sync` into a new --storage brings back what the clients still hold, and `pond import` what was exported.",
    ),
  );
}

const idsInText = 3;

function idsShown(ids: Damage["ids"]): Shown {
  if (ids === undefined || ids.length === 0) return shown("");
  const some = ids.slice(0, idsInText).map((id) => id.join(" "));
  return say`: ${shownLine([...some, ...(ids.length > idsInText ? ["..."] : [])].join(", "))}`;
}
