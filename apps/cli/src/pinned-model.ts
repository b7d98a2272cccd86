import type { PinnedModel } from "@pond/embed";
import type { ModelConfig } from "./embeddings-config.ts";
import { UsageError } from "./errors.ts";
import { nearestTo } from "./nearest.ts";

/** @throws {UsageError} if pond knows no such model. */
export async function modelNamed(name: string): Promise<PinnedModel> {
  const { pinnedModels } = await import("@pond/embed");
  const model = pinnedModels.find((each) => each.name === name);
  if (model) return model;
  const names = pinnedModels.map((each) => each.name);
  const meant = nearestTo(name, names);
  const guess = meant === undefined ? "" : `did you mean "${meant}"? `;
  const known = names.length === 0 ? "none by name" : names.join(", ");
  throw new UsageError(`no model is called "${name}"; ${guess}pond knows ${known}`, { name });
}

/** True where the configuration means this model. */
export function isNamedBy(model: ModelConfig, name: string): boolean {
  return model.kind === "pinned" && model.model === name;
}

/** How much a download fetches. */
export function bytesOf({ files }: PinnedModel): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
