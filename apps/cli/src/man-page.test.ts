import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { manPage, roff } from "./man-page.ts";
import { createProgram } from "./program.ts";

const sink = { write: () => true };
const runtime = { stdout: sink, stderr: sink, env: {}, home: "/nowhere", now: () => new Date(0) };
const program = createProgram(async () => undefined, runtime);
const page = manPage(program, { version: "1.2.3", date: new Date("2026-11-21T12:00:00Z") });

/** As it is to be read: without the escapes of roff. */
const text = page
  .replaceAll("\\-", "-")
  .replaceAll("\\(ti", "~")
  .replaceAll(/\\f[BIR]/g, "");

function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

function has(tool: string): boolean {
  const isThere = spawnSync(tool, ["/dev/null"]).error === undefined;
  if (!isThere) console.warn(`there is no ${tool} here, so the manual page is not tried with it`);
  return isThere;
}

describe("the manual page", () => {
  it("lists every command, option and argument", () => {
    for (const command of everyCommand(program)) {
      if (command.parent)
        expect(text).toMatch(new RegExp(`^\\.SS "pond .*${command.name()}"$`, "m"));
      for (const { long = "" } of command.options) expect(text).toContain(long);
      for (const argument of command.registeredArguments) expect(text).toContain(argument.name());
    }
    expect(text).toContain("--help");
  });

  it("lists every variable whose name begins with POND_", () => {
    const folder = import.meta.dirname;
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.includes("test"))
      .map((path) => readFileSync(join(folder, path), "utf8"));
    const variables = sources.flatMap((source) => source.match(/(?<=env\[")POND_\w+/g) ?? []);

    expect(variables).toContain("POND_CONFIG");
    for (const variable of variables) expect(text).toContain(variable);
  });

  it("is listed in package.json as an array, which npm needs to link the page", () => {
    const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");

    expect(JSON.parse(manifest).man).toEqual(["./dist/pond.1"]);
  });

  it("names its program, version and date in the header", () => {
    expect(page.split("\n")[0]).toBe('.TH POND 1 2026-11-21 "pond 1.2.3"');
  });

  it.each([
    [".hidden", "\\&.hidden"],
    ["'quoted' \"twice\"", "\\(aqquoted\\(aq \\(dqtwice\\(dq"],
    ["a\\fBb --c", "a\\efBb \\-\\-c"],
    ["one\ntwo", "one two"],
    ["~ ^ ` é", "\\(ti \\(ha \\(ga \\[u00E9]"],
  ])("escapes %j so that roff shows it literally", (plain, expected) => {
    expect(roff(plain)).toBe(expected);
  });

  it.skipIf(!has("groff")).each([".x 'y' \"z\" \\n(a -b ~^` é", "'request"])(
    "shows %j literally in groff",
    (plain) => {
      const input = `.TH A 1\n.SH B\n${roff(plain)}\n`;
      const shown = execFileSync("groff", ["-man", "-Tutf8", "-P-cbou"], {
        input,
        encoding: "utf8",
      });
      expect(shown).toContain(plain);
    },
  );

  it.skipIf(!has("groff"))("causes no warning of groff", () => {
    const { stderr, status } = spawnSync("groff", ["-man", "-ww", "-z", "-Tutf8"], { input: page });

    expect([String(stderr), status]).toEqual(["", 0]);
  });

  it.skipIf(!has("mandoc"))("causes no complaint of mandoc", () => {
    const { stdout } = spawnSync("mandoc", ["-T", "lint", "-W", "warning"], { input: page });

    expect(String(stdout)).toBe("");
  });
});
