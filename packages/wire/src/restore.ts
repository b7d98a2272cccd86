import * as v from "valibot";
import { type Envelope, envelope, id } from "./envelope.ts";

/** Asks for a session as files of a client. */
export type RestoreRequest = Envelope & {
  readonly session_id: string;
  /** The client to write for. Left out, it is the one the session came from. */
  readonly to?: string | undefined;
  /** As last seen in its source (the default), or as first stored. */
  readonly at?: "first" | "last" | undefined;
};

/** What became of the parts of each type, and of whole system messages. */
export type Fidelity = Readonly<
  Record<string, { readonly kept: number; readonly translated: number; readonly dropped: number }>
>;

/** One restored file; `path` is relative, with `/`. */
export type WireFile = {
  readonly session_id: string;
  /** Relative, `/`-separated, inside the client's own folder. */
  readonly path: string;
  readonly bytes: number;
  readonly content:
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "base64"; readonly base64: string };
  /**
   * True if the content is lines of a file that sessions share: the lines that it lacks are
   * appended.
   */
  readonly shared?: true;
  /** Foreign restore only: what this file keeps of its session. */
  readonly fidelity?: Fidelity;
};

/** The files of a session and the sessions below it, and what became of their parts. */
export type RestoreResponse = {
  readonly session_id: string;
  /** The client that the files are for. */
  readonly to: string;
  /** True if the files are, record for record, what the client wrote. */
  readonly native: boolean;
  readonly fidelity: Fidelity;
  /**
   * Sessions that continue another one that is not stored, or not stored up to that point. Their
   * own client refuses them without it; translated, they lack what was said before. Absent if there
   * are none.
   */
  readonly incomplete?: readonly string[];
  /**
   * Sessions with a message that is not as it was written: parts of it are gone, or it changed.
   * Absent if there are none.
   */
  readonly damaged?: readonly string[];
  /** The files of the session and of every session below it. */
  readonly files: readonly WireFile[];
};

export const restoreRequestSchema: v.GenericSchema<unknown, RestoreRequest> = v.strictObject({
  ...envelope,
  session_id: id("The session; all sessions below it come with it."),
  to: v.optional(id("Client to write for; if left out, the one that the session came from.")),
  at: v.optional(
    v.pipe(
      v.picklist(["first", "last"]),
      v.description("As first stored, or as last seen in its source (the default)."),
    ),
  ),
});

const fidelity = v.record(
  v.string(),
  v.object({ kept: v.number(), translated: v.number(), dropped: v.number() }),
);

export const restoreResponseSchema: v.GenericSchema<unknown, RestoreResponse> = v.object({
  session_id: v.string(),
  to: v.string(),
  native: v.boolean(),
  fidelity,
  incomplete: v.exactOptional(
    v.pipe(
      v.array(v.string()),
      v.description(
        "Sessions that continue one that is not stored, or not that far; left out if there are none.",
      ),
    ),
  ),
  damaged: v.exactOptional(
    v.pipe(
      v.array(v.string()),
      v.description(
        "Sessions with a message that is not what was written; left out if there are none.",
      ),
    ),
  ),
  files: v.array(
    v.object({
      session_id: v.string(),
      path: v.string(),
      bytes: v.number(),
      content: v.variant("type", [
        v.object({ type: v.literal("text"), text: v.string() }),
        v.object({ type: v.literal("base64"), base64: v.string() }),
      ]),
      shared: v.exactOptional(
        v.pipe(
          v.literal(true),
          v.description(
            "Lines for a file that sessions share: append those that it lacks, and replace nothing.",
          ),
        ),
      ),
      fidelity: v.exactOptional(fidelity),
    }),
  ),
});
