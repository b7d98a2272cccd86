import type { Argument, Command, Help, Option } from "commander";
import { type Completer, completerOfArgument, completerOfOption } from "./completers.ts";

/** What the word under the cursor can be. */
export type CompletionRequest = {
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
export function completionRequestOf(
  program: Command,
  words: readonly string[],
  current: string,
): CompletionRequest | undefined {
  const parser = new CommandLineParser(program);
  for (const word of words) if (!parser.read(word)) return undefined;
  return parser.requestFor(current);
}

/** A command line, read a word at a time as it will be when it is run. */
class CommandLineParser {
  readonly #help: Help;
  readonly #operands: string[] = [];
  readonly #used: string[] = [];
  readonly #values = new Map<string, string>();
  #command: Command;
  /** The option whose value comes next. */
  #pendingOption: Option | undefined;
  #isAfterDashes = false;

  constructor(program: Command) {
    this.#command = program;
    this.#help = program.createHelp();
  }

  /** False if the word makes no sense; then nothing after it does, either. */
  read(word: string): boolean {
    const pending = this.#pendingOption;
    // The values of `--client a b` continue until there is another option.
    if (pending && !(isOption(word) && (pending.variadic || pending.optional))) {
      this.#values.set(pending.attributeName(), word);
      if (!pending.variadic) this.#pendingOption = undefined;
      return true;
    }
    this.#pendingOption = undefined;
    if (this.#isAfterDashes || !isOption(word)) return this.#readOperand(word);
    if (word === "--") this.#isAfterDashes = true;
    else this.#readOption(word);
    return true;
  }

  #readOperand(word: string): boolean {
    if (!this.#expectsCommand()) {
      this.#operands.push(word);
      return true;
    }
    const subcommand = this.#help
      .visibleCommands(this.#command)
      .find((command) => command.name() === word || command.aliases().includes(word));
    if (subcommand) this.#enter(subcommand);
    return subcommand !== undefined;
  }

  /** The command that is made for `help` knows nothing of the others. */
  #enter(command: Command): void {
    command.parent ??= this.#command;
    this.#command = command;
  }

  #readOption(word: string): void {
    const [name = "", ...rest] = word.startsWith("--") ? word.split("=") : [word.slice(0, 2)];
    const option = this.#optionNamed(name);
    if (option === undefined) return;
    this.#used.push(option.long ?? name);
    const value = word.startsWith("--") ? rest.join("=") : word.slice(2);
    const hasValue = word.startsWith("--") ? word.includes("=") : value !== "";
    if (!takesValue(option)) {
      // `-qv` is two.
      if (!word.startsWith("--") && hasValue) this.#readOption(`-${value}`);
    } else if (hasValue) this.#values.set(option.attributeName(), value);
    else this.#pendingOption = option;
  }

  requestFor(current: string): CompletionRequest | undefined {
    const pending = this.#pendingOption;
    if (pending && !(isOption(current) && (pending.variadic || pending.optional))) {
      return this.#request(completerOfOption(this.#owner(pending), pending), "", current);
    }
    if (this.#isAfterDashes || !current.startsWith("-")) return this.#requestOperand(current);
    const [name = "", ...rest] = current.split("=");
    if (!current.includes("=")) return this.#request("options", "", current, this.#used);
    const option = this.#optionNamed(name);
    if (option === undefined || !takesValue(option)) return undefined;
    return this.#request(
      completerOfOption(this.#owner(option), option),
      `${name}=`,
      rest.join("="),
    );
  }

  #requestOperand(current: string): CompletionRequest | undefined {
    if (this.#expectsCommand()) return this.#request("commands", "", current);
    const argument = this.#argumentAt(this.#operands.length);
    if (argument) {
      const completer = completerOfArgument(this.#command, argument);
      return this.#request(completer, "", current, this.#operands);
    }
    // Nothing else can follow, so an option is looked for.
    return current === "" ? this.#request("options", "", "", this.#used) : undefined;
  }

  #request(
    completer: CompletionRequest["completer"] | undefined,
    before: string,
    typed: string,
    given: readonly string[] = [],
  ): CompletionRequest | undefined {
    if (completer === undefined) return undefined;
    return { completer, command: this.#command, before, typed, given, values: this.#values };
  }

  #expectsCommand(): boolean {
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
