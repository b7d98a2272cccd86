import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { notFoundCode, runProgram } from "../run-program.ts";
import { intervals, secondsOf } from "./interval.ts";
import { refuseControls, xmlText } from "./quoting.ts";
import {
  failureText,
  type Job,
  type Machine,
  mark,
  mustRun,
  namesStore,
  type Scheduler,
} from "./scheduler.ts";
import { readOwn, removeOwn, writeOwn } from "./unit-file.ts";

const label = "pond.sync";

// launchd kills a program that has not ended after 20 s.
const maxEndMs = 30_000;
const pollMs = 100;

/** An agent of the user's launchd. */
export function createLaunchd(machine: Machine): Scheduler {
  const file = join(machine.home, "Library", "LaunchAgents", `${label}.plist`);
  const domain = `gui/${process.getuid?.() ?? 0}`;
  const isLoaded = async (): Promise<boolean> =>
    (await runProgram(machine, ["launchctl", "print", `${domain}/${label}`])).code === 0;
  const unload = () => runProgram(machine, ["launchctl", "bootout", `${domain}/${label}`]);
  return {
    kind: "launchd",
    whyUnusable: async () => {
      const command = ["launchctl", "version"];
      const result = await runProgram(machine, command);
      return result.code === notFoundCode ? failureText(command, result) : undefined;
    },
    installed: async () => {
      const text = await readOwn(file);
      if (text === undefined) return undefined;
      const every = intervals.find((each) =>
        text.includes(`<integer>${secondsOf(each)}</integer>`),
      );
      return { every: every ?? null, places: [file], namesStore: namesStore(text) };
    },
    has: async (job) => (await readOwn(file)) === plistText(job),
    start: async (job) => {
      const isNew = await writeOwn(file, plistText(job));
      const wasLoaded = await isLoaded();
      if (!isNew && wasLoaded) return false;
      if (wasLoaded) {
        await unload();
        // A sync that runs is told to end, and until it has, nothing is loaded in its place.
        for (let waitedMs = 0; waitedMs < maxEndMs && (await isLoaded()); waitedMs += pollMs)
          await sleep(pollMs);
      }
      await mustRun(machine, ["launchctl", "bootstrap", domain, file]);
      return true;
    },
    stop: async () => {
      if ((await readOwn(file)) === undefined) return false;
      await unload();
      return removeOwn([file]);
    },
    // It does not tell.
    next: async () => undefined,
  };
}

function plistText({ every, command, env, log }: Job): string {
  refuseControls([...command, ...Object.values(env), log]);
  const texts = command.map((word) => `    <string>${xmlText(word)}</string>\n`);
  const variables = Object.entries(env).map(
    ([name, value]) => `    <key>${name}</key>\n    <string>${xmlText(value)}</string>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${mark} -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${texts.join("")}  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join("")}  </dict>
  <key>StartInterval</key>
  <integer>${secondsOf(every)}</integer>
  <key>ProcessType</key>
  <string>Background</string>
  <key>StandardOutPath</key>
  <string>${xmlText(log)}</string>
  <key>StandardErrorPath</key>
  <string>${xmlText(log)}</string>
</dict>
</plist>
`;
}
