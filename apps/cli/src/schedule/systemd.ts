import { lstat, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "../run-program.ts";
import { calendarTime, intervals } from "./interval.ts";
import { refuseControls, unitArgument, unitWord } from "./quoting.ts";
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

const timer = "pond-sync.timer";

/** A timer of the user's own systemd; it runs while the user is logged in, or lingers. */
export function createSystemd(machine: Machine): Scheduler {
  const folder = unitFolder(machine);
  const files = [join(folder, "pond-sync.service"), join(folder, timer)] as const;
  const [service, timerFile] = files;
  const systemctl = (...words: string[]) => mustRun(machine, ["systemctl", "--user", ...words]);
  return {
    kind: "systemd",
    // In many containers the program exists, but has nothing to talk to.
    whyUnusable: async () => {
      const command = ["systemctl", "--user", "show-environment"];
      const result = await runProgram(machine, command);
      return result.code === 0 ? undefined : failureText(command, result);
    },
    installed: async () => {
      const text = await readOwn(timerFile);
      if (text === undefined) return undefined;
      const every = intervals.find((each) => text.includes(`OnCalendar=${calendarTime(each)}\n`));
      const own = (await readOwn(service)) ?? "";
      return { every: every ?? null, places: files, namesStore: namesStore(own) };
    },
    has: async (job) =>
      (await readOwn(service)) === serviceText(job) &&
      (await readOwn(timerFile)) === timerText(job),
    start: async (job) => {
      const isServiceNew = await writeOwn(service, serviceText(job));
      const isTimerNew = await writeOwn(timerFile, timerText(job));
      const { code } = await runProgram(machine, ["systemctl", "--user", "is-enabled", timer]);
      if (!isServiceNew && !isTimerNew && code === 0) return false;
      await systemctl("daemon-reload");
      await systemctl("enable", timer);
      // Otherwise one that is running keeps its old times.
      await systemctl("restart", timer);
      return true;
    },
    stop: async () => {
      if ((await readOwn(timerFile)) !== undefined) {
        // Even if nothing runs any more, its files have to go.
        await runProgram(machine, ["systemctl", "--user", "disable", "--now", timer]);
      }
      const isRemoved = await removeOwn(files);
      await removeLink(join(folder, "timers.target.wants", timer));
      if (isRemoved) await runProgram(machine, ["systemctl", "--user", "daemon-reload"]);
      return isRemoved;
    },
    next: async () => {
      const showArguments = ["show", timer, "--property=NextElapseUSecRealtime", "--value"];
      // In a time zone that can be read back.
      const env = { ...machine.env, TZ: "UTC", LC_ALL: "C" };
      const result = await runProgram({ env }, ["systemctl", "--user", ...showArguments]);
      const date = new Date(
        result.stdout
          .toString()
          .trim()
          .replace(/^[A-Z][a-z]{2} /, ""),
      );
      return result.code !== 0 || Number.isNaN(date.getTime()) ? undefined : date;
    },
  };
}

/** What `enable` made, if `disable` could not be asked to remove it: it leads nowhere by now. */
async function removeLink(path: string): Promise<void> {
  const isLink = await lstat(path)
    .then((found) => found.isSymbolicLink())
    .catch(() => false);
  const isDangling =
    isLink &&
    !(await stat(path)
      .then(() => true)
      .catch(() => false));
  if (isDangling) await rm(path);
}

function unitFolder({ env, home }: Machine): string {
  const config = env["XDG_CONFIG_HOME"];
  return join(config?.startsWith("/") ? config : join(home, ".config"), "systemd", "user");
}

function serviceText({ command: [program = "", ...words], env }: Job): string {
  refuseControls([program, ...words, ...Object.values(env)]);
  const variables = Object.entries(env).map(
    ([name, value]) => `Environment=${unitWord(`${name}=${value}`)}\n`,
  );
  return `# ${mark}
[Unit]
Description=Store what changed of the agent sessions on this machine

[Service]
Type=oneshot
ExecStart=${execStartOf(program)} ${words.map(unitArgument).join(" ")}
${variables.join("")}# Done, with faults in some session files: \`pond sync\` names them.
SuccessExitStatus=3
Nice=10
`;
}

/** systemd takes no program with a quote or a backslash in its name; a shell does. */
function execStartOf(program: string): string {
  if (!/["'\\]/.test(program)) return unitWord(program);
  const shell = ["-c", 'exec "$@"', "sh", program];
  return ["/bin/sh", ...shell.map(unitArgument)].join(" ");
}

function timerText({ every }: Job): string {
  return `# ${mark}
[Unit]
Description=pond sync every ${every}

[Timer]
OnCalendar=${calendarTime(every)}
Persistent=true

[Install]
WantedBy=timers.target
`;
}
