import { isJsonObject, type JsonObject } from "@pond/canonical";

/** One event that the client polled for: what a human said elsewhere, or what happened there. */
export type PollEvent = {
  /** What the model is given. */
  readonly envelope: string;
  /** The words of the session's human in it. */
  readonly typed: string | undefined;
};

/** The events that an attachment gave a model; none if another row holds them as well. */
export function pollEvents(attachment: JsonObject): readonly PollEvent[] {
  const { type, envelopes, provenance, deliveredVia } = attachment;
  if (type !== "poll_events" || deliveredVia !== undefined || !Array.isArray(envelopes)) return [];
  return envelopes.flatMap((envelope, index) => {
    const sender = Array.isArray(provenance) ? provenance[index] : undefined;
    return typeof envelope === "string" ? [{ envelope, typed: typedBy(sender) }] : [];
  });
}

function typedBy(sender: unknown): string | undefined {
  const { authority, senderText } = isJsonObject(sender) ? sender : {};
  const isTyped = authority === "human-principal" && typeof senderText === "string";
  return isTyped && senderText !== "" ? senderText : undefined;
}
