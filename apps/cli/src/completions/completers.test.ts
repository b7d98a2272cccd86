import { adapters } from "@pond/adapters";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram } from "../program.ts";
import { Home } from "../testing.ts";
import { clientNames } from "./candidates.ts";
import { completerOfArgument, completerOfOption, pathOf } from "./completers.ts";

const sink = { write: () => true };
const runtime = { stdout: sink, stderr: sink, env: {}, home: "/nowhere", now: () => new Date(0) };
const program = createProgram(async () => undefined, runtime);

function everyCommand(command: Command): Command[] {
  const below = command.createHelp().visibleCommands(command);
  return [command, ...below.flatMap((each) => everyCommand(each))];
}

describe("the completers", () => {
  it("cover every value of every option and argument", () => {
    const without = everyCommand(program).flatMap((command) => [
      ...command.options
        .filter((option) => option.required || option.optional)
        .filter((option) => completerOfOption(command, option) === undefined)
        .map(({ flags }) => `${pathOf(command)} ${flags}`),
      ...command.registeredArguments
        .filter((argument) => completerOfArgument(command, argument) === undefined)
        .map((argument) => `${pathOf(command)} <${argument.name()}>`),
    ]);

    expect(without).toEqual([]);
  });

  it("know every client", () => {
    expect([...clientNames].sort()).toEqual(adapters.map(({ origin }) => origin).sort());
  });

  it("stay out of pond --help", async () => {
    const home = new Home();
    const { stdout } = await home.pond("--help");
    home.remove();

    expect(stdout).toContain("completions");
    expect(stdout).not.toMatch(/^ {2}complete\b/m);
  });
});
