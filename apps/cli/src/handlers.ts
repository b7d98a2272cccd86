import { createHandlers, type Handlers, type Restorers, singleNamespace } from "@pond/server";
import { type Context, warnOfHeal, warnOfMissingIndex } from "./context.ts";
import { withEmbedder } from "./embedder.ts";
import { warnOfFailure } from "./warn-of-failure.ts";

export type WithHandlersOptions = {
  /** Left out if nobody can ask for a restore. */
  readonly restorers?: Restorers;
  /** False if others than the operator may ask; see `HandlersOptions`. Default: true. */
  readonly isPersonal?: boolean;
};

/** Runs `use` with handlers that answer requests; closes stores and model afterwards. */
export async function withHandlers<T>(
  context: Context,
  use: (handlers: Handlers) => Promise<T>,
  { restorers, isPersonal = true }: WithHandlersOptions = {},
): Promise<T> {
  const { location, storageOptions, embeddings } = context.settings;
  const warnings = { onHeal: warnOfHeal(context), onMissingIndex: warnOfMissingIndex(context) };
  const namespaces = singleNamespace(location, { storageOptions, ...warnings });
  const { now, output } = context;
  const onIndexUpdateFailed = (error: unknown): void =>
    warnOfFailure(output, "indexes were not updated", error);
  return withEmbedder(context, async ({ embedder, failure }) => {
    const noEmbedderReason = embeddings.isOn ? undefined : embeddings.reason;
    const models = { embedder, embedderFailure: failure, noEmbedderReason };
    const asked = { namespaces, restorers, isPersonal };
    try {
      return await use(createHandlers({ ...asked, now, onIndexUpdateFailed, ...models }));
    } finally {
      await namespaces.close();
    }
  });
}

/** Every client pond knows. */
export async function clientRestorers(): Promise<Restorers> {
  const { adapters, meaningsOf } = await import("@pond/adapters");
  const writers = new Map(adapters.map(({ origin, to }) => [origin, to]));
  return { writers, meanings: meaningsOf() };
}
