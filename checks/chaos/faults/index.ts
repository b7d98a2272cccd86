import type { Fault } from "../fault.ts";
import { clockFaults } from "./clock.ts";
import { copiedStores } from "./copied-store.ts";
import { damages } from "./damage.ts";
import { diskFaults } from "./disk.ts";
import { killsIntoStore } from "./kill-into-store.ts";
import { killsOutOfStore } from "./kill-out-of-store.ts";
import { mends } from "./mend.ts";
import { powerCuts } from "./power-cut.ts";
import { sourceFaults } from "./sources.ts";
import { versionFaults } from "./versions.ts";

/** Every fault of the campaign. */
export const faults: readonly Fault[] = [
  ...killsIntoStore,
  ...killsOutOfStore,
  ...powerCuts,
  ...diskFaults,
  ...damages,
  ...mends,
  ...sourceFaults,
  ...copiedStores,
  ...clockFaults,
  ...versionFaults,
];
