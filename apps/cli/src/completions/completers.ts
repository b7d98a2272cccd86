import type { Argument, Command, Option } from "commander";

/** What can be offered for a value. Paths are left to the shell, which knows them best. */
export type Completer =
  | "sessions"
  | "projects"
  | "agents"
  | "adapters"
  | "namespaces"
  | "models"
  | "commands"
  | "directories"
  | "files"
  | "archives"
  /** Something that only the user knows. */
  | "nothing"
  /** Words known beforehand; examples, if others are possible, too. */
  | readonly string[];

const times = ["today", "yesterday", "24h", "7d", "2w"];

/**
 * What completes a value: by the command together with its option or argument, by the option alone,
 * or by the placeholder in the help text. The first entry found counts. A test checks that there is
 * one for each.
 */
const completers: Readonly<Record<string, Completer>> = {
  "--storage": "directories",
  "--namespace": "namespaces",
  "--project": "projects",
  "--agent": "agents",
  "--session": "sessions",
  "--client": "adapters",
  "--every": ["15m", "1h", "6h", "1d"],
  "serve --allowed-host": "nothing",
  "sync --path": "files",
  "models download <name>": "models",
  "models remove <name>": "models",
  "copy <from>": "directories",
  "copy <to>": "directories",
  "<command>": "commands",
  "<session>": "sessions",
  "<adapter>": "adapters",
  "<client>": "adapters",
  "<dir>": "directories",
  "<folder>": "directories",
  "<file>": "files",
  "<file.pond>": "archives",
  "<time>": times,
  "<address>": "nothing",
  "<cursor>": "nothing",
  "<id>": "nothing",
  "<n>": "nothing",
  "<query>": "nothing",
};

/** Undefined for a value of a kind that nobody has thought of. */
export function completerOfOption(command: Command, option: Option): Completer | undefined {
  const name = option.long ?? option.short ?? "";
  const placeholder = /[<[]([^>\].]+(?:\.[^>\].]+)*)/.exec(option.flags)?.[1];
  return (
    option.argChoices ??
    completers[`${pathOf(command)} ${name}`.trimStart()] ??
    completers[name] ??
    completers[`<${placeholder}>`]
  );
}

export function completerOfArgument(command: Command, argument: Argument): Completer | undefined {
  const placeholder = `<${argument.name()}>`;
  return (
    argument.argChoices ??
    completers[`${pathOf(command)} ${placeholder}`] ??
    completers[placeholder]
  );
}

/** `models download`: without the name of the program. */
export function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null ? "" : `${pathOf(parent)} ${command.name()}`.trimStart();
}
