import { escapedJson, type SafeText, safe, safeLine, safeText } from "./safe-text.ts";
import { createStyle, type Style, wantsColor } from "./style.ts";
import { wrapSentences } from "./wrap.ts";

/** Where a command writes; `process.stdout` is one. */
export type Sink = {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

export type OutputOptions = {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly isVerbose: boolean;
  readonly isColorAllowed: boolean;
};

/**
 * The output of a command. Results go to stdout, everything else to stderr, so that with `--json`
 * stdout holds nothing but JSON.
 */
export class Output {
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly isVerbose: boolean;
  /** For stdout. */
  readonly style: Style;
  /** For stderr. */
  readonly noteStyle: Style;
  /** Columns of the terminal; unlimited in a pipe, where cutting would lose something. */
  readonly width: number;
  /** Lines of the terminal. */
  readonly height: number;
  readonly stderr: Sink;
  readonly #stdout: Sink;
  readonly #options: OutputOptions;
  #hasJson = false;

  constructor(options: OutputOptions) {
    const { stdout, stderr, env, isColorAllowed, ...flags } = options;
    const colored = (sink: Sink): boolean =>
      wantsColor({ isAllowed: isColorAllowed, isTerminal: sink.isTTY === true, env });
    this.isJson = flags.isJson;
    this.isQuiet = flags.isQuiet;
    this.isVerbose = flags.isVerbose;
    this.style = createStyle(colored(stdout));
    this.noteStyle = createStyle(colored(stderr));
    this.width = columnsOf(stdout, env);
    this.height = stdout.isTTY === true ? stdout.rows || 24 : Number.POSITIVE_INFINITY;
    this.stderr = stderr;
    this.#stdout = stdout;
    this.#options = options;
  }

  /** The same with results going elsewhere, such as to a pager on the same terminal. */
  onto(write: (text: SafeText) => unknown): Output {
    const { isTTY = false, columns = 0, rows = 0 } = this.#stdout;
    return new Output({ ...this.#options, stdout: { isTTY, columns, rows, write } });
  }

  get isTerminal(): boolean {
    return this.#stdout.isTTY === true;
  }

  /** A line of the result, for people. */
  line(text: SafeText = safeText("")): void {
    this.#stdout.write(`${text}\n`);
  }

  /** Prints a piece of the result that has its own line breaks. */
  text(text: SafeText): void {
    this.#stdout.write(text);
  }

  /** True if JSON was printed already: a second document would be one too many. */
  get hasJson(): boolean {
    return this.#hasJson;
  }

  /** Prints one JSON document, or one line of JSON Lines; the parser gets the exact text. */
  jsonText(text: string): void {
    this.#hasJson = true;
    this.#stdout.write(`${escapedJson(text)}\n`);
  }

  /** Prints a side note, which is not shown with `-q`. */
  note(text: SafeText): void {
    if (!this.isQuiet) this.#print(text);
  }

  /** Prints something that the user should act on. */
  warn(text: SafeText): void {
    this.#print(safe`${this.noteStyle.warning(safeLine("warning:"))} ${text}`);
  }

  error(text: SafeText): void {
    this.#print(safe`${this.noteStyle.bad(safeLine("error:"))} ${text}`);
  }

  /** True if stderr is a terminal that can draw over what it shows. */
  get canRedraw(): boolean {
    return this.stderr.isTTY === true && this.#options.env["TERM"] !== "dumb";
  }

  #print(text: SafeText): void {
    const width = columnsOf(this.stderr, this.#options.env);
    for (const line of wrapSentences(text, width)) this.stderr.write(`${line}\n`);
  }
}

function columnsOf(sink: Sink, env: OutputOptions["env"]): number {
  if (sink.isTTY !== true) return Number.POSITIVE_INFINITY;
  const asked = Number(env["COLUMNS"]);
  // Some recorded terminals say that they have none.
  return Math.max(20, Number.isInteger(asked) && asked > 0 ? asked : sink.columns || 80);
}
