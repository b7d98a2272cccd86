import type { NamedModel } from "@pond/canonical/adapter";

/** A model as both clients name it. */
export type UsedModel = {
  readonly api: string;
  readonly provider: string;
  readonly model: string;
};

/** Who serves a model, by its name, if the source does not say. */
const providers: readonly (readonly [RegExp, string])[] = [
  [/claude/i, "anthropic"],
  [/^(?:gpt|codex|o\d)/i, "openai"],
  [/gemini/i, "google"],
];

const apis: Readonly<Record<string, string>> = {
  anthropic: "anthropic-messages",
  openai: "openai-responses",
  "openai-codex": "openai-codex-responses",
  google: "google-generative-ai",
};

/** The model that an answer came from; if its source names none, the last one, or the client. */
export function modelUsed(
  { model, provider }: NamedModel,
  last: UsedModel | undefined,
  origin: string,
): UsedModel {
  if (model === undefined) return last ?? toUsedModel(origin, origin);
  return toUsedModel(model, provider, origin);
}

function toUsedModel(model: string, provider: string | undefined, origin?: string): UsedModel {
  const guessed = providers.find(([pattern]) => pattern.test(model))?.[1];
  const server = provider ?? guessed ?? origin ?? model;
  const api = Object.hasOwn(apis, server) ? apis[server] : undefined;
  return { api: api ?? "openai-completions", provider: server, model };
}
