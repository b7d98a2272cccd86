import { join } from "node:path";
import { absoluteStorage } from "../config-values.ts";
import type { Context } from "../context.ts";
import { backUp, readText, replaceFile } from "../replace-file.ts";
import type { GlobalFlags } from "../settings.ts";
import { changeConfig } from "./config-text.ts";
import type { FoundClient } from "./found-clients.ts";
import { recordAction, sha256 } from "./journal.ts";
import { lineDiff } from "./line-diff.ts";

/** What is to be written to `config.toml`, if anything. */
export type ConfigPlan = {
  readonly file: string;
  readonly text: string;
  /** Empty if it says all of it already. */
  readonly diff: string;
};

/**
 * What was chosen and is not yet so, not even by default: the clients, and the store that the flags
 * of this command line name.
 *
 * @throws {ConfigError} if the file is written in a way that pond does not change.
 */
export async function planConfig(
  { settings, home }: Context,
  found: readonly FoundClient[],
  chosen: readonly string[],
  { storage, namespace }: GlobalFlags,
): Promise<ConfigPlan> {
  const file = settings.config.file ?? join(settings.directories.config, "config.toml");
  const before = (await readText(file)) ?? "";
  const differing = found.filter(({ name, isEnabled }) => isEnabled !== chosen.includes(name));
  const place = storage && absoluteStorage(storage, home);
  const change = {
    ...(place !== undefined && place !== settings.config.storage && { storage: place }),
    ...(namespace !== undefined &&
      namespace !== (settings.config.namespace ?? "default") && { namespace }),
    enabled: Object.fromEntries(differing.map(({ name, isEnabled }) => [name, !isEnabled])),
  };
  const text = await changeConfig(before, change, file);
  return { file, text, diff: lineDiff(before, text) };
}

/** @returns The copy of the previous file; null if there was none. */
export async function writeConfig(
  context: Context,
  { file, text }: ConfigPlan,
): Promise<string | null> {
  const backup = await backUp(file, context.now());
  await recordAction(context, { kind: "file", file, backup, sha256: sha256(text) });
  await replaceFile(file, text);
  return backup;
}
