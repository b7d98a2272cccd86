// Warm search against SQLite on the same rows: node --conditions=@pond/source src/latency.ts
// [--messages 100000,1000000] [--queries 20] [--kinds question,phrase] [--meaning] [--folder DIR]
// [--json]
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureLatency } from "./latency/measure.ts";
import { allKinds, type Kind } from "./latency/queries.ts";
import { type LatencyReport, printLatency } from "./latency/report.ts";
import { measureSizes } from "./latency/sizes.ts";
import { standInModel } from "./latency/stand-in-model.ts";
import { openLatencyStores } from "./latency/store.ts";
import { machine } from "./shared/machine.ts";

const { values } = parseArgs({
  options: {
    /** How many messages are searchable; several numbers make several stores. */
    messages: { type: "string", default: "100000" },
    /** Queries of each kind, with each filter. */
    queries: { type: "string", default: "20" },
    /** Only these kinds of query, separated by commas. */
    kinds: { type: "string", default: allKinds.join() },
    /** Also searches by meaning: every message has a vector from a stand-in for a model. */
    meaning: { type: "boolean", default: false },
    /** The stores are kept here, because they take minutes to make. */
    folder: { type: "string", default: join(tmpdir(), "pond-latency") },
    json: { type: "boolean", default: false },
  },
});

const kinds = values.kinds.split(",") as Kind[];
const embedder = values.meaning ? standInModel() : undefined;
const reports: LatencyReport[] = [];
for (const messages of values.messages.split(",").map(Number)) {
  const stores = await openLatencyStores(values.folder, messages, embedder);
  const report: LatencyReport = {
    machine: machine(),
    ...{ messages, textBytes: stores.facts.textBytes },
    isByMeaning: values.meaning,
    rows: await measureLatency(stores, { kinds, queries: Number(values.queries), embedder }),
    sizes: await measureSizes(stores),
  };
  stores.sessions.close();
  stores.sqlite.close();
  reports.push(report);
  if (!values.json) printLatency(report);
}
if (values.json) console.log(JSON.stringify(reports, null, 2));
