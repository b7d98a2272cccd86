// A process of its own that exports, imports or copies, says each step, and is killed by a test.
import { openSessions } from "@pond/sessions";
import { copySessions } from "./copy-sessions.ts";
import { exportArchive } from "./export-archive.ts";
import { importArchive } from "./import-archive.ts";
import type { Progress } from "./progress.ts";

const [what = "", from = "", to = "", temporaryFolder] = process.argv.slice(2);
const watch = {
  onProgress: ({ step, done }: Progress) => process.stdout.write(`${step} ${done}\n`),
  temporaryFolder,
};
const open = (location: string) => openSessions(location, { mode: "write" });
switch (what) {
  case "export":
    await exportArchive(await open(from), to, watch);
    break;
  case "import":
    await importArchive(from, await open(to), watch);
    break;
  case "copy":
    await copySessions(await open(from), await open(to), watch);
}
console.log("finished");
