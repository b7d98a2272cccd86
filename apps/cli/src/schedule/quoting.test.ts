import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { UsageError } from "../errors.ts";
import { cronWord, refuseControls, xmlText } from "./quoting.ts";
import { createSystemd } from "./systemd.ts";

const folder = mkdtempSync(join(tmpdir(), "pond-quoting-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const words = [
  "plain/word-1",
  "two words",
  "it's",
  'a "quote"',
  "100%",
  "%h %% \\% \\\\%",
  "$HOME $(touch x) `id`",
  "back\\slash\\",
  "ümlaut 日本",
  "semi;colon & # hash",
  "",
] as const;

/** What cron hands to the shell of a line's command, as Vixie's does it. */
function afterCron(command: string): string {
  let [out, isEscaped] = ["", false];
  for (const character of command) {
    if (isEscaped && character === "%") out = out.slice(0, -1);
    if (!isEscaped && character === "%") return out;
    isEscaped = !isEscaped && character === "\\";
    out += character;
  }
  return out;
}

describe("cronWord", () => {
  it.each(words)("hands %j through cron to the shell unchanged", (word) => {
    const command = afterCron(`printf '\\%s' ${cronWord(word)}`);

    expect(execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" })).toBe(word);
  });
});

describe("refuseControls", () => {
  it.each(["a\nb", "a\rb", "a\tb", "a\0b", "\x7f", "\ud800"])("refuses %j", (word) => {
    expect(() => refuseControls(["fine", word])).toThrow(UsageError);
  });
});

it("escapes text so that it cannot end an XML element", () => {
  expect(xmlText("a<b>&]]>")).toBe("a&lt;b&gt;&amp;]]&gt;");
});

const verifier = "systemd-analyze";
const isVerifier = spawnSync(verifier, ["--version"]).status === 0;
if (!isVerifier) console.warn("skipped: systemd-analyze is not on this machine");

it.skipIf(!isVerifier).each(words.filter((word) => word !== ""))(
  "writes a unit that systemd accepts, with %j in it",
  async (word) => {
    const place = join(folder, String(words.indexOf(word)), word);
    mkdirSync(place, { recursive: true });
    const program = join(place, "node");
    copyFileSync(existsSync("/bin/true") ? "/bin/true" : process.execPath, program);
    const machine = { home: folder, env: { PATH: "/nowhere", XDG_CONFIG_HOME: folder } };
    const job = { every: "1h", env: { POND_CONFIG: place }, log: "/dev/null" } as const;

    // There is nobody to start it; the files are written before.
    await createSystemd(machine)
      .start({ ...job, command: [program, word] })
      .catch(() => undefined);
    const units = ["pond-sync.service", "pond-sync.timer"];
    const verified = spawnSync(
      verifier,
      ["verify", "--user", ...units.map((unit) => join(folder, "systemd", "user", unit))],
      { env: { ...process.env, XDG_RUNTIME_DIR: folder }, encoding: "utf8" },
    );

    expect(verified).toMatchObject({ status: 0, stderr: "" });
  },
);
