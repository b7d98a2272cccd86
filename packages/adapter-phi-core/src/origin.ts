import type { Origin } from "@pond/canonical/adapter";

export const origin: Origin = "phi-core";
