import { join } from "node:path";
import type { Config } from "./config.ts";
import type { Directories, Environment } from "./directories.ts";
import type { ModelConfig } from "./embeddings-config.ts";
import { UsageError } from "./errors.ts";

/** Small, and it knows a hundred languages. */
const suggestedModel = "multilingual-e5-small";

/** Whether this call uses meaning: with which model, or why not. */
export type Embeddings =
  | { readonly isOn: true; readonly model: ModelConfig /** `file:line` */; readonly place: string }
  | {
      readonly isOn: false;
      /** One line. */
      readonly reason: string;
      /** The file to add the table to, if nobody switched it off. */
      readonly file?: string;
    };

/**
 * `POND_EMBEDDINGS=off` or `on`, else what `config.toml` says; off without its table (spec 8).
 *
 * @throws {UsageError} for another word, and for `on` if no model is named.
 */
export function resolveEmbeddings(
  { embeddings, file }: Config,
  env: Environment,
  directories: Directories,
): Embeddings {
  const requested = parseSwitch(env["POND_EMBEDDINGS"]);
  if (requested === "off") return { isOn: false, reason: "POND_EMBEDDINGS switches it off" };
  const model = embeddings?.model;
  if (embeddings === undefined || model === undefined) {
    const off = {
      isOn: false,
      reason: "no embedding model is configured",
      file: file ?? join(directories.config, "config.toml"),
    } as const;
    if (requested === "on") throw new UsageError(`POND_EMBEDDINGS is on, but ${whyOff(off)}`);
    return off;
  }
  if (requested !== "on" && !embeddings.isEnabled) {
    return { isOn: false, reason: `${embeddings.place}: "embeddings.enabled" is false` };
  }
  return { isOn: true, model, place: embeddings.place };
}

/** Why it is off, and how to switch it on if nobody switched it off; may be several lines. */
export function whyOff({ reason, file }: Extract<Embeddings, { isOn: false }>): string {
  if (file === undefined) return reason;
  const get = `pond models download ${suggestedModel}`;
  return `${reason}. ${howToConfigure(file, suggestedModel)}\n\nand run: ${get}`;
}

export function howToConfigure(file: string, model: string): string {
  return `Add this to ${file}:\n\n  [embeddings]\n  model = "${model}"`;
}

function parseSwitch(text: string | undefined): "on" | "off" | undefined {
  if (text === undefined || text === "") return undefined;
  if (["off", "0", "false"].includes(text)) return "off";
  if (["on", "1", "true"].includes(text)) return "on";
  throw new UsageError(`POND_EMBEDDINGS is "${text}"; it can be on or off`, {
    variable: "POND_EMBEDDINGS",
  });
}
