import type { Origin } from "@pond/canonical/adapter";

/** The brand of the client that this package reads and writes. */
export const origin: Origin = "opencode";
