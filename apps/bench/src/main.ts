import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureDisk } from "./everyday/disk.ts";
import { measureImport } from "./everyday/first-import.ts";
import { measureLongLine } from "./everyday/long-line.ts";
import { type Measure, printTable } from "./everyday/measure.ts";
import { measureReading } from "./everyday/reading.ts";
import { measureResync } from "./everyday/resync.ts";
import { measureSearching } from "./everyday/searching.ts";
import { generateCorpus } from "./generated/corpus.ts";
import { Home } from "./shared/home.ts";
import { machine } from "./shared/machine.ts";

// The default makes about a gigabyte and 400,000 messages.
const { values } = parseArgs({
  options: { sessions: { type: "string", default: "2800" }, json: { type: "boolean" } },
});

const home = new Home();
try {
  const shape = { sessions: Number(values.sessions), recordsPerSession: 90 };
  const corpus = generateCorpus(join(home.folder, "client"), shape);
  const measures: Measure[] = [
    ...measureImport(home, corpus),
    ...(await measureDisk(home, corpus)),
    ...(await measureLongLine()),
    ...measureResync(home, corpus),
    ...(await measureSearching(home)),
    ...(await measureReading(home)),
  ];
  if (values.json) console.log(JSON.stringify({ machine: machine(), measures }, null, 2));
  else {
    console.log(`${machine()}\n`);
    printTable(measures);
  }
} finally {
  home.remove();
}
