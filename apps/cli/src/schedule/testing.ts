// Stand-ins for what starts programs at times, in the home of a test. They are all that is on the
// PATH: the real ones would change the machine the tests run on.
import { chmodSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../testing.ts";

const programs = {
  systemctl: `echo "$*" >>"$HOME/systemctl.log"
case $2 in
  is-enabled) [ -e "$HOME/enabled" ] ;;
  enable) : >"$HOME/enabled" ;;
  disable) /bin/rm -f "$HOME/enabled" ;;
  show) echo "Sat 2026-11-21 12:17:00 UTC" ;;
esac`,
  crontab: `case $1 in
  -l) [ -e "$HOME/crontab" ] || { echo "no crontab for ada" >&2; exit 1; }; exec /bin/cat "$HOME/crontab" ;;
  -r) exec /bin/rm "$HOME/crontab" ;;
  -) exec /bin/cat >"$HOME/crontab" ;;
esac`,
  launchctl: `echo "$*" >>"$HOME/launchctl.log"
case $1 in
  print) [ -e "$HOME/loaded" ] ;;
  bootstrap) : >"$HOME/loaded" ;;
  bootout) /bin/rm -f "$HOME/loaded" ;;
esac`,
} as const;

export type FakeProgram = keyof typeof programs;

/** Puts them on the PATH, which is returned: nothing else is on it. */
export function fakePath(home: Home, ...names: readonly FakeProgram[]): { PATH: string } {
  for (const name of names) fake(home, name, programs[name]);
  return { PATH: join(home.folder, "bin") };
}

/** A shell script as a program of that name. */
export function fake(home: Home, name: string, script: string): void {
  chmodSync(home.write(`bin/${name}`, `#!/bin/sh\n${script}\n`), 0o755);
}
