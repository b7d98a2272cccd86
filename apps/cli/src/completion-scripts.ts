import type { Command } from "commander";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

type Verb = {
  readonly name: string;
  readonly summary: string;
  /** What may follow that is known beforehand: verbs below it, and names. */
  readonly words: readonly string[];
  readonly flags: readonly Flag[];
};
type Flag = { readonly name: string; readonly summary: string };

/**
 * A script for the shell, made from the commands as they are defined.
 *
 * @param names - What a verb may be given beside what its definition says.
 */
export function completionScript(
  shell: Shell,
  program: Command,
  names: Readonly<Record<string, readonly string[]>>,
): string {
  const globals = flagsOf(program);
  const verbs = program.commands.map((command) => ({
    name: command.name(),
    summary: summaryOf(command.description()),
    words: [...wordsOf(command), ...(names[command.name()] ?? [])],
    flags: [...flagsOf(command), ...globals],
  }));
  switch (shell) {
    case "bash":
      return bash(verbs);
    case "zsh":
      return zsh(verbs);
    case "fish":
      return fish(verbs);
  }
}

function flagsOf(command: Command): Flag[] {
  return command.options.flatMap(({ long, description }) =>
    long ? [{ name: long, summary: summaryOf(description) }] : [],
  );
}

function wordsOf(command: Command): string[] {
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const below = command.commands.flatMap((verb) => [verb.name(), ...wordsOf(verb)]);
  return [...new Set([...below, ...choices])];
}

/** Quotes and brackets mean something to each of the shells. */
function summaryOf(text: string): string {
  return text.replaceAll(/['"`[\]:$\\]/g, "");
}

function bash(verbs: readonly Verb[]): string {
  const cases = verbs.map(
    ({ name, words, flags }) =>
      `    ${name}) words="${[...words, ...flags.map(nameOf)].join(" ")}" ;;`,
  );
  return `_pond() {
  local words current="\${COMP_WORDS[COMP_CWORD]}" verb="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word != -* ]] && verb=$word && break
  done
  case $verb in
${cases.join("\n")}
    *) words="${verbs.map(nameOf).join(" ")}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _pond pond
`;
}

function zsh(verbs: readonly Verb[]): string {
  const described = verbs.map(({ name, summary }) => `    '${name}:${summary}'`);
  const cases = verbs.map(({ name, words, flags }) => {
    const options = flags.map((flag) => `'${flag.name}[${flag.summary}]'`);
    const rest = words.length === 0 ? "'*:file:_files'" : `'*:name:(${words.join(" ")})'`;
    return `    ${name}) _arguments ${options.join(" ")} ${rest} ;;`;
  });
  return `#compdef pond
_pond() {
  local -a verbs=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then _describe command verbs; return; fi
  local verb=$words[2]
  shift words; (( CURRENT-- ))
  case $verb in
${cases.join("\n")}
  esac
}
compdef _pond pond
`;
}

function fish(verbs: readonly Verb[]): string {
  const lines = verbs.flatMap(({ name, summary, words, flags }) => [
    `complete -c pond -n __fish_use_subcommand -a ${name} -d '${summary}'`,
    ...(words.length > 0
      ? [`complete -c pond -n '__fish_seen_subcommand_from ${name}' -f -a '${words.join(" ")}'`]
      : []),
    ...flags.map(
      (flag) =>
        `complete -c pond -n '__fish_seen_subcommand_from ${name}' -l ${flag.name.slice(2)} -d '${flag.summary}'`,
    ),
  ]);
  return `${lines.join("\n")}\n`;
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}
