import * as v from "valibot";
import type { WirePart } from "./canonical.ts";

/** One part in a few words. */
export type PartSummary = {
  readonly type: WirePart["type"];
  readonly provenance: WirePart["provenance"];
  readonly name?: string;
  readonly bytes: number;
};

export const partSummarySchema: v.GenericSchema<unknown, PartSummary> = v.object({
  type: v.picklist([
    "text",
    "reasoning",
    "file",
    "tool_call",
    "tool_result",
    "tool_approval_request",
    "tool_approval_response",
  ]),
  provenance: v.picklist(["conversational", "injected"]),
  name: v.exactOptional(v.string()),
  bytes: v.number(),
});
