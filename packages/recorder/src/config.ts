/**
 * The model and settings that a loop ran with. Never its keys: nothing beyond these fields is kept.
 */
export type LoopConfig = {
  readonly model: string;
  readonly provider: string;
  readonly config_id?: string;
  readonly name?: string;
  readonly api?: string;
  readonly base_url?: string;
  readonly reasoning?: boolean;
  readonly context_window?: number;
  readonly max_tokens?: number;
  readonly thinking_level?: string;
  readonly temperature?: number;
};

const fields = [
  "model",
  "provider",
  "config_id",
  "name",
  "api",
  "base_url",
  "reasoning",
  "context_window",
  "max_tokens",
  "thinking_level",
  "temperature",
] as const satisfies readonly (keyof LoopConfig)[];

/** Takes these fields and no others, because the settings of an agent hold its API key. */
export function configSnapshot(config: LoopConfig): LoopConfig {
  const { model, provider } = config;
  const known = fields.flatMap((key) => (config[key] === undefined ? [] : [[key, config[key]]]));
  return { model, provider, ...Object.fromEntries(known) };
}
