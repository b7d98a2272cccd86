// What each operation costs as the store grows: node --conditions=@pond/source src/scale.ts
// [--messages 10000,100000,1000000] [--folder DIR] [--out DIR] [--json]. Build first.
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { measureScale, type ScaleRun } from "./scale/measure.ts";
import { plotOf } from "./scale/plot.ts";
import { scaleReport } from "./scale/report.ts";
import { wholeMachine } from "./shared/machine.ts";

const { values } = parseArgs({
  options: {
    /** In each store; a million take 7 GB of disk. */
    messages: { type: "string", default: "10000,100000,1000000" },
    /** Where corpus and stores are while it runs. */
    folder: { type: "string", default: tmpdir() },
    out: { type: "string", default: resolve(import.meta.dirname, "../reports") },
    json: { type: "boolean", default: false },
  },
});

const machine = wholeMachine();
const runs: ScaleRun[] = [];
for (const records of values.messages.split(",").map(Number)) {
  runs.push(await measureScale(values.folder, records, (what) => console.error(what)));
}
if (values.json) console.log(JSON.stringify({ machine, runs }, null, 2));
else {
  const report = scaleReport(runs, { machine, messages: values.messages });
  mkdirSync(values.out, { recursive: true });
  writeFileSync(join(values.out, "scale.md"), report);
  writeFileSync(join(values.out, "scale.svg"), plotOf(runs));
  console.log(report);
}
