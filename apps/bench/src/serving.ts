// Many clients at one server: node --conditions=@pond/source src/serving.ts
// [--clients 200] [--seconds 60] [--messages 100000] [--folder DIR] [--json]
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { allKinds, queriesOf } from "./latency/queries.ts";
import { openLatencyStores } from "./latency/store.ts";
import { askForever } from "./serving/clients.ts";
import { printServing, type ServingReport, summarize } from "./serving/report.ts";
import { startServer } from "./serving/server.ts";
import { machine } from "./shared/machine.ts";

const { values } = parseArgs({
  options: {
    /** Each asks the next question as soon as it has its answer. */
    clients: { type: "string", default: "200" },
    seconds: { type: "string", default: "60" },
    /** Searchable messages in the store, which src/latency.ts makes, too, and shares. */
    messages: { type: "string", default: "100000" },
    folder: { type: "string", default: join(tmpdir(), "pond-latency") },
    json: { type: "boolean", default: false },
  },
});
const messages = Number(values.messages);

const stores = await openLatencyStores(values.folder, messages);
const { samples } = stores.facts;
stores.sessions.close();
stores.sqlite.close();
const queries = allKinds.flatMap((kind) => queriesOf(kind, samples, 100)).map(({ text }) => text);

const server = await startServer(join(values.folder, `messages-${messages}`), "store");
try {
  // What is loaded at the first question does not belong to the load.
  await askForever(server.url, { clients: 1, seconds: 3, queries });
  const restMb = server.rssMb();
  const memory: number[] = [];
  const sampling = setInterval(() => memory.push(server.rssMb()), 1_000);
  const [clients, seconds] = [Number(values.clients), Number(values.seconds)];
  const answers = await askForever(server.url, { clients, seconds, queries });
  clearInterval(sampling);
  const report: ServingReport = {
    machine: machine(),
    ...{ clients, seconds, messages },
    ...summarize(answers, seconds),
    memoryMb: { rest: restMb, half: memory[memory.length >> 1] ?? 0, most: Math.max(...memory) },
  };
  if (values.json) console.log(JSON.stringify(report, null, 2));
  else printServing(report);
} finally {
  await server.stop();
}
