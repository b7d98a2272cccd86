// What each command takes as a process: node --conditions=@pond/source src/start-up.ts
// [--messages 10000] [--runs 9] [--json]. Build first.
import { parseArgs } from "node:util";
import { Home } from "./shared/home.ts";
import { machine, wholeMachine } from "./shared/machine.ts";
import { markdownTable } from "./shared/markdown-table.ts";
import { measureStartUp } from "./start-up/measure.ts";

const { values } = parseArgs({
  options: {
    /** The number in the store that the commands read. */
    messages: { type: "string", default: "10000" },
    runs: { type: "string", default: "9" },
    json: { type: "boolean", default: false },
  },
});

const home = new Home();
try {
  const { baseline, starts } = measureStartUp(home, {
    records: Number(values.messages),
    runs: Number(values.runs),
  });
  if (values.json) {
    console.log(JSON.stringify({ machine: machine(), baseline, starts }, null, 2));
  } else {
    const [wall, cpu] = [baseline.wallMs.toFixed(0), baseline.cpuMs.toFixed(0)];
    console.log(`${wholeMachine()}; \`node -e 0\` takes ${wall} ms, ${cpu} ms of CPU.\n`);
    const rows = starts.map(({ command, wallMs, cpuMs, ratio, mostMs, isMet }) => [
      ...[command, wallMs.toFixed(0), `${ratio.toFixed(2)}x`, cpuMs.toFixed(0)],
      `under ${mostMs} ms`,
      isMet ? "met" : "NOT MET",
    ]);
    console.log(markdownTable(["command", "ms", "of node -e 0", "CPU ms", "bar", ""], rows));
  }
} finally {
  home.remove();
}
