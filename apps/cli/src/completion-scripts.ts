export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/**
 * A script that makes a shell ask pond itself what can be typed; see `completions/reply.ts` for the
 * answers. An answer is never evaluated, because much of it is text from sessions.
 */
export function completionScript(shell: Shell): string {
  return scripts[shell];
}

/** How to make a shell complete from now on. */
export const howToInstall: Readonly<Record<Shell, string>> = {
  bash: "pond completions bash >> ~/.bashrc",
  zsh: "pond completions zsh >> ~/.zshrc",
  fish: "pond completions fish > ~/.config/fish/completions/pond.fish",
};

// Read line by line, because macOS has a bash that knows nothing else; it has no compopt, either.
const bash = `_pond() {
  local line kind=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <(command pond complete bash "$COMP_WORDBREAKS" -- "\${COMP_WORDS[@]:1:COMP_CWORD}" </dev/null 2>/dev/null)
  case $kind in
    values) compopt -o nosort 2>/dev/null ;;
    directories) compopt -o dirnames 2>/dev/null ;;
    files | archives) compopt -o default 2>/dev/null ;;
  esac
}
complete -F _pond pond
`;

const zsh = String.raw`#compdef pond
_pond() {
  local kind line value text
  local -a lines entries
  lines=("${"$"}{(@f)$(command pond complete zsh -- "${"$"}{(@)words[2,CURRENT-1]}" "$QIPREFIX$PREFIX" </dev/null 2>/dev/null)}")
  kind=$lines[1]
  shift lines
  [[ $PREFIX == --*=* ]] && compset -P 1 '*='
  case $kind in
    values)
      for line in $lines; do
        value=${"$"}{${"$"}{${"$"}{line%%$'\t'*}//\\/\\\\}//:/\\:}
        text=${"$"}{line#*$'\t'}
        # One with a colon and no text is listed with two dashes, and out of order.
        entries+=("$value${"$"}{text:+:$text}")
      done
      _describe -V pond entries
      ;;
    directories) _files -/ ;;
    files) _files ;;
    archives) _files -g '*.pond' ;;
  esac
}
# Put into a folder of functions, this file is the function.
if [[ $funcstack[1] == _pond ]]; then
  _pond
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _pond pond
fi
`;

const fish = `function __pond_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l lines (command pond complete fish -- $words "$current" </dev/null 2>/dev/null)
    set -l kind $lines[1]
    set -e lines[1]
    set -l before (string match -r -- '^--[^=]+=' "$current")
    set -l path (string replace -r -- '^--[^=]+=' '' "$current")
    switch "$kind"
        case values
            set before
        case directories
            set lines (__fish_complete_directories "$path" '')
        case files
            set lines (__fish_complete_path "$path")
        case archives
            set lines (__fish_complete_suffix "$path" .pond)
        case '*'
            return
    end
    for line in $lines
        printf '%s\\n' "$before$line"
    end
end
complete -c pond -e
complete -c pond -k -f -a '(__pond_complete)'
`;

const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };
