import type { ContentCheck, Damage, TableVerdict } from "@pond/substrate";
import type { Context } from "./context.ts";
import { shortenHome } from "./directories.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { onInterrupt } from "./interrupt.ts";
import { printJson } from "./output/json.ts";
import { formatCount, formatCounted } from "./output/numbers.ts";
import { describeRate, fitFacts, type Pace, ProgressLine } from "./output/progress.ts";
import { type SafeText, safe, safeLine, safeText } from "./output/safe-text.ts";

/** What `pond status --verify --json` prints. */
type VerifyJson = {
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
    const content = withProgress(checkContent(), progress);
    const verdicts = await verifyStore(location, { tables, storageOptions, content, signal });
    progress.clear();
    if (output.isJson) await printJson(output, toVerifyJson(location, verdicts));
    else print(context, verdicts);
    const isDamaged = verdicts.some(({ damages }) => damages.length > 0);
    return isDamaged ? exitCodes.doneWithFaults : exitCodes.done;
  } finally {
    progress.clear();
    stop();
  }
}

/** The same check, which also draws how many rows of all tables were read. */
function withProgress(content: ContentCheck, progress: ProgressLine): ContentCheck {
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
function describeCheck({ done, elapsedMs, columns }: Pace): SafeText {
  const rate = describeRate(done, elapsedMs, (each) => safe`${formatCount(each)} rows/s`);
  return fitFacts([safe`checking  ${formatCounted(done, "row")} read`, rate], columns);
}

function toVerifyJson(location: string, verdicts: readonly TableVerdict[]): VerifyJson {
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
    const rest = safeText(isAll ? "all of it" : "not all of it");
    if (!output.isQuiet) output.line(safe`${safeLine(name)}: ${rows} can be read, ${rest}`);
    for (const { files, reason, rows: lost, ids } of damages) {
      const where = safeLine(files.map((file) => shortenHome(file, home)).join(", ") || name);
      const cost = lost ? safe` (${formatCounted(lost, "row")})` : safeText("");
      output.warn(safe`${where}: ${safeLine(reason)}${cost}${idsText(ids)}`);
    }
    if (uncheckedRows > 0) {
      const unchecked = formatCounted(uncheckedRows, "row");
      output.warn(safe`${safeLine(name)}: ${unchecked} cannot be checked against what was written`);
    }
  }
  const reasons = verdicts.flatMap(({ damages }) => damages.map(({ reason }) => reason));
  if (reasons.length === 0) return;
  const isHidden = reasons.some((reason) => /permission denied/i.test(reason));
  output.note(
    safeText(
      isHidden
        ? "This user may not read all of it: change who may, and run this again."
        : "Copy the folder elsewhere before anything else. `pond sync --verify` mends messages that are not what was written, if a client still holds them. If files cannot be read, `pond sync` into a new --storage brings back what the clients still hold, and `pond import` what was exported.",
    ),
  );
}

const maxIdsShown = 3;

function idsText(ids: Damage["ids"]): SafeText {
  if (ids === undefined || ids.length === 0) return safeText("");
  const some = ids.slice(0, maxIdsShown).map((id) => id.join(" "));
  return safe`: ${safeLine([...some, ...(ids.length > maxIdsShown ? ["..."] : [])].join(", "))}`;
}
