import type { Context } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { printWrapped } from "../output/print-wrapped.ts";
import { safe, safeLine, safeText } from "../output/safe-text.ts";
import { wrapText } from "../output/wrap.ts";
import type { GlobalFlags } from "../settings.ts";
import type { FoundClient } from "./found-clients.ts";
import { printDiff } from "./line-diff.ts";
import { planConfig, writeConfig } from "./plan-config.ts";
import type { WrittenConfig } from "./report.ts";

/** Writes what was chosen, unless it is so already, and shows it. */
export async function configure(
  context: Context,
  found: readonly FoundClient[],
  chosen: readonly string[],
  globals: GlobalFlags,
  isDry: boolean,
): Promise<WrittenConfig> {
  const { output, home } = context;
  const plan = await planConfig(context, found, chosen, globals);
  const { file, diff } = plan;
  const isNew = diff !== "";
  const backup = isNew && !isDry ? await writeConfig(context, plan) : null;
  if (!output.isJson) {
    const shortPath = shortenHome(file, home);
    if (!isNew)
      printWrapped(output, safeText("Settings: nothing to write, they are as chosen already."));
    else {
      output.line(safeText(isDry ? "Settings, to be written:" : "Settings, written:"));
      printDiff(output, shortPath, diff);
      printBackup(context, backup);
    }
  }
  return { file, written: isNew && !isDry, backup, diff };
}

/** Says where the previous file is kept. */
export function printBackup({ output, home }: Context, backup: string | null): void {
  if (backup === null) return;
  const place = safeLine(shortenHome(backup, home));
  for (const line of wrapText(safe`what was there before is in ${place}`, output.width - 2)) {
    output.line(output.style.faint(safe`  ${line}`));
  }
}
