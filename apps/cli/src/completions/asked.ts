import type { Argument, Command, Help, Option } from "commander";
import { type Completer, completerOfArgument, completerOfOption } from "./completers.ts";

/** What the word under the cursor can be. */
export type Asked = {
  readonly completer: Completer | "options";
  /** The command it belongs to, as far as that is typed. */
  readonly command: Command;
  /** What precedes the value in its word, such as `--mode=`. */
  readonly before: string;
  /** The value, as far as it is typed. */
  readonly typed: string;
  /** Other words of the same argument, and options that are there already. */
  readonly given: readonly string[];
  /** The last value of each option before the cursor, by its name. */
  readonly values: ReadonlyMap<string, string>;
};

/** Finds out from the definitions; undefined if nothing is possible. */
export function whatIsAsked(
  program: Command,
  words: readonly string[],
  current: string,
): Asked | undefined {
  const line = new Line(program);
  for (const word of words) if (!line.take(word)) return undefined;
  return line.ask(current);
}

/** A command line, read a word at a time as it will be when it is run. */
class Line {
  readonly #help: Help;
  readonly #operands: string[] = [];
  readonly #used: string[] = [];
  readonly #values = new Map<string, string>();
  #command: Command;
  /** The option whose value comes next. */
  #open: Option | undefined;
  #isRest = false;

  constructor(program: Command) {
    this.#command = program;
    this.#help = program.createHelp();
  }

  /** False if the word makes no sense; then nothing after it does, either. */
  take(word: string): boolean {
    const open = this.#open;
    // The values of `--client a b` continue until there is another option.
    if (open && !(isOption(word) && (open.variadic || open.optional))) {
      this.#values.set(open.attributeName(), word);
      if (!open.variadic) this.#open = undefined;
      return true;
    }
    this.#open = undefined;
    if (this.#isRest || !isOption(word)) return this.#takeOperand(word);
    if (word === "--") this.#isRest = true;
    else this.#takeOption(word);
    return true;
  }

  #takeOperand(word: string): boolean {
    if (!this.#takesCommand()) {
      this.#operands.push(word);
      return true;
    }
    const below = this.#help
      .visibleCommands(this.#command)
      .find((command) => command.name() === word || command.aliases().includes(word));
    if (below) this.#enter(below);
    return below !== undefined;
  }

  /** The command that is made for `help` knows nothing of the others. */
  #enter(command: Command): void {
    command.parent ??= this.#command;
    this.#command = command;
  }

  #takeOption(word: string): void {
    const [name = "", ...rest] = word.startsWith("--") ? word.split("=") : [word.slice(0, 2)];
    const option = this.#optionNamed(name);
    if (option === undefined) return;
    this.#used.push(option.long ?? name);
    const value = word.startsWith("--") ? rest.join("=") : word.slice(2);
    const hasValue = word.startsWith("--") ? word.includes("=") : value !== "";
    if (!takesValue(option)) {
      // `-qv` is two.
      if (!word.startsWith("--") && hasValue) this.#takeOption(`-${value}`);
    } else if (hasValue) this.#values.set(option.attributeName(), value);
    else this.#open = option;
  }

  ask(current: string): Asked | undefined {
    const open = this.#open;
    if (open && !(isOption(current) && (open.variadic || open.optional))) {
      return this.#asked(completerOfOption(this.#owner(open), open), "", current);
    }
    if (this.#isRest || !current.startsWith("-")) return this.#askOperand(current);
    const [name = "", ...rest] = current.split("=");
    if (!current.includes("=")) return this.#asked("options", "", current, this.#used);
    const option = this.#optionNamed(name);
    if (option === undefined || !takesValue(option)) return undefined;
    return this.#asked(completerOfOption(this.#owner(option), option), `${name}=`, rest.join("="));
  }

  #askOperand(current: string): Asked | undefined {
    if (this.#takesCommand()) return this.#asked("commands", "", current);
    const argument = this.#argumentAt(this.#operands.length);
    if (argument) {
      const completer = completerOfArgument(this.#command, argument);
      return this.#asked(completer, "", current, this.#operands);
    }
    // Nothing else can follow, so an option is looked for.
    return current === "" ? this.#asked("options", "", "", this.#used) : undefined;
  }

  #asked(
    completer: Asked["completer"] | undefined,
    before: string,
    typed: string,
    given: readonly string[] = [],
  ): Asked | undefined {
    if (completer === undefined) return undefined;
    return { completer, command: this.#command, before, typed, given, values: this.#values };
  }

  #takesCommand(): boolean {
    return this.#command.commands.length > 0 && this.#operands.length === 0;
  }

  #argumentAt(position: number): Argument | undefined {
    const known = this.#command.registeredArguments;
    const last = known.at(-1);
    return known[position] ?? (last?.variadic ? last : undefined);
  }

  #optionNamed(name: string): Option | undefined {
    return optionsOf(this.#command).find(({ long, short }) => long === name || short === name);
  }

  #owner(option: Option): Command {
    let owner = this.#command;
    while (owner.parent && !owner.options.includes(option)) owner = owner.parent;
    return owner;
  }
}

/** The options of a command and of every command above it, without those hidden from help. */
export function optionsOf(command: Command): Option[] {
  const help = command.createHelp();
  help.showGlobalOptions = true;
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith("-");
}

function takesValue(option: Option): boolean {
  return option.required || option.optional;
}
