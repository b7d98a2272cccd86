import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The path of a Chromium on the `PATH`. */
export function findChromium(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The answer to a command of the DevTools protocol, or the content of an event. */
export type Said = Readonly<Record<string, unknown>>;

type Received = { id?: number; method?: string; params?: Said; result?: Said; error?: Said };
type Waiting = { resolve(said: Said): void; reject(error: Error): void };

/** A headless Chromium with one page, driven by the DevTools protocol. */
export class Chromium {
  /** All events since the page was opened. */
  readonly events: { readonly method: string; readonly params: Said }[] = [];
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #session: string | undefined;

  private constructor(child: ChildProcess, folder: string, socket: WebSocket) {
    this.#child = child;
    this.#folder = folder;
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#receive(JSON.parse(String(data))));
    socket.addEventListener("close", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("Chromium is gone"));
    });
  }

  static async start(program: string): Promise<Chromium> {
    const folder = mkdtempSync(join(tmpdir(), "pond-pages-"));
    const child = spawn(
      program,
      [
        "--headless=new",
        "--no-sandbox",
        "--no-first-run",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--remote-debugging-port=0",
        `--user-data-dir=${folder}`,
        "about:blank",
      ],
      // Chromium writes into its home, too.
      { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: folder } },
    );
    const socket = new WebSocket(await debuggerUrl(child));
    await once(socket, "open");
    const chromium = new Chromium(child, folder, socket);
    const { targetId } = await chromium.send("Target.createTarget", { url: "about:blank" });
    const attached = await chromium.send("Target.attachToTarget", { targetId, flatten: true });
    chromium.#session = String(attached["sessionId"]);
    return chromium;
  }

  send(method: string, params: Said = {}): Promise<Said> {
    this.#lastId += 1;
    const id = this.#lastId;
    const session = this.#session === undefined ? {} : { sessionId: this.#session };
    this.#socket.send(JSON.stringify({ id, method, params, ...session }));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /** Opens a page and waits until it is fully loaded. */
  async open(url: string): Promise<void> {
    this.events.length = 0;
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await this.send(`${domain}.enable`);
    const loaded = this.#next("Page.loadEventFired");
    await this.send("Page.navigate", { url });
    await loaded;
  }

  /** The value of an expression in the page, as JSON. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value: Value }).value;
  }

  async close(): Promise<void> {
    const exited = once(this.#child, "exit");
    if (this.#child.exitCode === null) {
      this.#child.kill("SIGKILL");
      await exited;
    }
    // Its child processes may still be writing.
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  readonly #listeners = new Map<string, () => void>();

  #next(method: string): Promise<void> {
    return new Promise((resolve) => this.#listeners.set(method, resolve));
  }

  #receive({ id, method, params = {}, result = {}, error }: Received): void {
    if (id !== undefined) {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) waiting?.reject(new Error(JSON.stringify(error)));
      else waiting?.resolve(result);
    } else if (method !== undefined) {
      this.events.push({ method, params });
      this.#listeners.get(method)?.();
    }
  }
}

async function debuggerUrl(child: ChildProcess): Promise<string> {
  const { stderr } = child;
  if (stderr === null) throw new TypeError("its stderr is a pipe");
  const said: string[] = [];
  for await (const line of createInterface({ input: stderr })) {
    const url = /^DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (url !== undefined) {
      stderr.resume();
      return url;
    }
    said.push(line);
  }
  throw new Error(`Chromium ended: ${said.join("\n")}`);
}
