// pond and what else one would use, over the same sessions in the same run:
// node --conditions=@pond/source src/side-by-side.ts [--messages 100000] [--runs 3]
// [--folder DIR] [--out DIR] [--json]. Build first.
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { generateCorpus } from "./generated/corpus.ts";
import { Home } from "./shared/home.ts";
import { wholeMachine } from "./shared/machine.ts";
import { benchOf } from "./side-by-side/bench.ts";
import { compare } from "./side-by-side/measure.ts";
import {
  ccusageContenders,
  codeburnContenders,
  jqContenders,
  ripgrepContenders,
} from "./side-by-side/other-tools.ts";
import { pondContenders } from "./side-by-side/pond.ts";
import { findPrograms } from "./side-by-side/programs.ts";
import { sideBySideReport } from "./side-by-side/report.ts";
import { sqliteContenders } from "./side-by-side/sqlite.ts";

const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "100000" },
    /** For each contender that takes less than five seconds; the others run once. */
    runs: { type: "string", default: "3" },
    /** The folder of the corpus and the stores while it runs. */
    folder: { type: "string", default: tmpdir() },
    out: { type: "string", default: resolve(import.meta.dirname, "../reports") },
    json: { type: "boolean", default: false },
  },
});

const [machine, folder, out] = [wholeMachine(), resolve(values.folder), resolve(values.out)];
const programs = await findPrograms();
const home = new Home(folder);
try {
  const shape = { records: Number(values.messages), recordsPerSession: 90 };
  const corpus = generateCorpus(join(home.folder, "client"), shape);
  const bench = benchOf(home, corpus);
  const contenders = [
    ...pondContenders(bench),
    ...sqliteContenders(bench),
    ...ripgrepContenders(bench, programs),
    ...jqContenders(bench, programs),
    ...ccusageContenders(bench, programs),
    ...codeburnContenders(bench, programs),
  ];
  const results = await compare(contenders, {
    runs: Number(values.runs),
    tell: (what) => console.error(what),
  });
  const facts = {
    ...{ machine, versions: programs.versions, messages: corpus.records },
    ...{ sessions: corpus.files.length, bytes: corpus.bytes, asked: values.messages },
  };
  if (values.json) console.log(JSON.stringify({ ...facts, results }, null, 2));
  else {
    const report = sideBySideReport(facts, results);
    mkdirSync(out, { recursive: true });
    writeFileSync(join(out, "side-by-side.md"), report);
    console.log(report);
  }
} finally {
  home.remove();
}
