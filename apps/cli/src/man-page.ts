import type { Argument, Command, Option } from "commander";
import { type ExitCode, exitCodes } from "./exit-codes.ts";

export type ManPageOptions = {
  readonly version: string;
  /** The time of the release, of which the day is printed. */
  readonly date: Date;
};

type Definitions = readonly (readonly [name: string, text: string])[];

const exitTexts: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: "Done.",
  failed: "Failed; the message on stderr says what to do.",
  badUsage: "Bad usage: a mistake in the command line or config.toml. Nothing was done.",
  doneWithFaults: "Done, but something could not be read or written; it is listed.",
  interrupted: "Interrupted, as by Ctrl-C. What was stored until then stays.",
};

const environment: Definitions = [
  ["POND_STORAGE", "Where sessions are stored: a folder or an address, as with --storage."],
  ["POND_CONFIG", "The configuration file to read instead of the user's own. It must exist."],
  ["POND_EMBEDDINGS", "off: use no model, whatever the configuration says."],
  ["POND_PAGER, PAGER", "The pager for long output at a terminal; POND_PAGER overrides PAGER."],
  ["NO_COLOR", "No colours, if it is set to anything."],
  ["FORCE_COLOR", "Colours in a pipe too, if it is set to anything but 0."],
  ["XDG_CONFIG_HOME", "The folder that pond/config.toml is in. Default: ~/.config."],
  ["XDG_DATA_HOME", "The folder that pond/NAMESPACE, a store, is in. Default: ~/.local/share."],
  [
    "XDG_STATE_HOME",
    "The folder that pond, with what this machine has seen, is in. Default: ~/.local/state.",
  ],
  [
    "XDG_CACHE_HOME",
    "The folder that pond, with models and compiled code, is in. Default: ~/.cache.",
  ],
];

const files: Definitions = [
  [
    "~/.config/pond/config.toml",
    "Settings: storage, namespace, [storage_options], [adapters.NAME] and [embeddings]. Flags and the environment override it. All of it is optional.",
  ],
  ["~/.local/share/pond/NAMESPACE", "The store of a namespace."],
  ["~/.local/state/pond", "What this machine has seen of its clients' files, and the last search."],
  ["~/.cache/pond", "Downloaded models and compiled code; can be made again."],
];

const examples: Definitions = [
  ["pond init", "Once: find clients, let agents search, sync every hour."],
  ['pond search "flaky coupon test"', "Find what was said, best match first."],
  ["pond get 2", "Read the second session that the search found."],
  ["pond resume 2 --to codex", "Go on with it in another client."],
  ["pond list --project . --since 7d", "List last week's sessions of this folder."],
];

/** The manual page of the command in man(7) format, made from the command definitions. */
export function manPage(program: Command, { version, date }: ManPageOptions): string {
  const name = program.name();
  const help = program.createHelp();
  const commands = help.visibleCommands(program);
  const lines = [
    `.TH ${name.toUpperCase()} 1 ${date.toISOString().slice(0, 10)} ${quoted(`${name} ${version}`)}`,
    // Words stay whole and margins ragged, because most words are meant to be typed.
    ".nh",
    ".ad l",
    ".SH NAME",
    `${name} \\- ${roff(program.description())}`,
    ".SH SYNOPSIS",
    `.B ${name}`,
    `${roff("[OPTION...]")} \\fICOMMAND\\fR ${roff("[ARGUMENT...]")}`,
    ".SH DESCRIPTION",
    roff(program.description()),
    ".PP",
    roff(
      `Name a session by its id, a unique beginning of it, or its number in the last search. A time is a date (2026-03-01), a time (2026-03-01T14:00Z), an age (30m, 12h, 7d, 2w), today or yesterday. With --json results are JSON on stdout, and everything else is on stderr.`,
    ),
    ".SH OPTIONS",
    "Every command takes these.",
    ...optionLines(help.visibleOptions(program)),
    ".SH COMMANDS",
    ...commands.flatMap((command) => commandLines(command, name)),
    ".SH EXIT STATUS",
    ...Object.entries(exitTexts).flatMap(([key, text]) => paragraph(bold(`${codeOf(key)}`), text)),
    ".SH ENVIRONMENT",
    ...environment.flatMap(([variable, text]) => paragraph(bold(variable), text)),
    ".SH FILES",
    ...files.flatMap(([path, text]) => paragraph(italic(path), text)),
    ".SH EXAMPLES",
    ...examples.flatMap(([command, text]) => paragraph(bold(command), text)),
  ];
  return `${lines.join("\n")}\n`;
}

function codeOf(key: string): ExitCode | undefined {
  return new Map<string, ExitCode>(Object.entries(exitCodes)).get(key);
}

/** A command, followed by the commands below it. */
function commandLines(command: Command, parentPath: string): string[] {
  const help = command.createHelp();
  const path = `${parentPath} ${command.name()}`;
  const subcommands = help.visibleCommands(command).filter((each) => !isHelp(each, command));
  const args = command.registeredArguments;
  const usage = [
    bold(path),
    ...(subcommands.length > 0 ? [italic("COMMAND")] : args.map(argumentTerm)),
    ...(command.options.length > 0 ? [roff("[OPTION...]")] : []),
  ];
  return [
    `.SS ${quoted(path)}`,
    usage.join(" "),
    ".PP",
    `${roff(sentence(command.description()))}`,
    ...args
      .filter(({ description }) => description !== "")
      .flatMap((argument) => paragraph(argumentTerm(argument), argumentText(argument))),
    ...optionLines(command.options.filter(({ hidden }) => !hidden)),
    ...subcommands.flatMap((each) => commandLines(each, path)),
  ];
}

/** The `help` that every group of commands gets is described once. */
function isHelp(command: Command, parent: Command): boolean {
  return command.name() === "help" && parent.parent !== null;
}

function argumentTerm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? italic(name) : `[${italic(name)}]`;
}

function argumentText({ description, argChoices }: Argument): string {
  return `${description}${choicesText(argChoices)}`;
}

function optionLines(options: readonly Option[]): string[] {
  return options.flatMap((option) => paragraph(optionTerm(option), optionText(option)));
}

/** `-o, --output <file>`: literal text in bold, placeholders in italics. */
function optionTerm({ flags }: Option): string {
  return flags
    .split(/([<[][^>\]]*[>\]])/)
    .map((part) => {
      if (part.startsWith("<")) return italic(part.slice(1, -1));
      if (part.startsWith("[")) return `[${italic(part.slice(1, -1))}]`;
      return part.replaceAll(/-[\w-]+|[, ]+/g, (each) =>
        each.startsWith("-") ? bold(each) : each,
      );
    })
    .join("");
}

function optionText({ description, argChoices, defaultValue, negate }: Option): string {
  const isPrintable = typeof defaultValue === "string" || typeof defaultValue === "number";
  const defaultText = isPrintable && !negate ? ` (default: ${defaultValue})` : "";
  return `${description}${choicesText(argChoices)}${defaultText}`;
}

function choicesText(choices: readonly string[] | undefined): string {
  return choices === undefined ? "" : `: ${choices.join(", ")}`;
}

/** A term, with its explanation indented below it. */
function paragraph(term: string, text: string): string[] {
  return [".TP", term, roff(sentence(text))];
}

function sentence(text: string): string {
  const capitalized = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capitalized) ? capitalized : `${capitalized}.`;
}

function bold(text: string): string {
  return `\\fB${roff(text)}\\fR`;
}

function italic(text: string): string {
  return `\\fI${roff(text)}\\fR`;
}

/** Text that roff prints as it is; with `\&` at its beginning, no line of it is a request. */
export function roff(text: string): string {
  const escaped = text
    .replaceAll(/\s+/g, " ")
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("~", "\\(ti")
    .replaceAll("^", "\\(ha")
    .replaceAll("`", "\\(ga")
    .replaceAll("'", "\\(aq")
    .replaceAll('"', "\\(dq")
    .replaceAll(/[^\x20-\x7e]/gu, (each) => `\\[u${codePoint(each)}]`);
  return /^[.]/.test(escaped) ? `\\&${escaped}` : escaped;
}

function codePoint(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}

/** In the form of a request's argument. */
function quoted(text: string): string {
  return `"${roff(text)}"`;
}
