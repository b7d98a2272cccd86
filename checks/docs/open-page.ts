import { createServer } from "node:net";
import type { Home } from "../../apps/cli/src/testing.ts";
import { startOf } from "../../apps/cli/src/testing-start.ts";
import { createPageHome, environmentOf } from "./page-home.ts";
import { PageShell, type Ran } from "./page-shell.ts";

const main = startOf("main").at(-1) ?? "";

/** The port that pages name. While they run, a free one takes its place. */
const saidPort = "9797";

type Opened = { readonly home: Home; readonly shell: PageShell; readonly port: string };

/** The home and the shell of a page, made when they are first needed. */
export class OpenPage {
  #opened: Promise<Opened> | undefined;
  #isOpen: Opened | undefined;

  async home(): Promise<Home> {
    return (await this.#open()).home;
  }

  async script(text: string): Promise<Ran> {
    const { shell, port } = await this.#open();
    return shell.script(text.replaceAll(saidPort, port));
  }

  /** Output looks as on pages: ada's home, a pond that npm installed, the usual port. */
  async command(text: string): Promise<Ran> {
    const { home, shell, port } = await this.#open();
    const { code, lines } = await shell.command(text.replaceAll(saidPort, port));
    const shown = (line: string): string =>
      line
        .replaceAll(home.folder, "/home/ada")
        .replaceAll(process.execPath, "/usr/bin/node")
        .replaceAll(/"?--conditions=@pond\/source"?[ ,]/g, "")
        .replaceAll(main, "/usr/lib/node_modules/@pond/cli/dist/main.js")
        .replaceAll(port, saidPort)
        .trimEnd();
    // The flags that run pond from its sources would not be in the output of an installed pond.
    const isOwn = (line: string): boolean => /^[+ ]*"--conditions=@pond\/source",$/.test(line);
    return { code, lines: lines.filter((line) => !isOwn(line)).map(shown) };
  }

  close(): void {
    this.#isOpen?.shell.close();
    this.#isOpen?.home.remove();
  }

  #open(): Promise<Opened> {
    this.#opened ??= open().then((opened) => {
      this.#isOpen = opened;
      return opened;
    });
    return this.#opened;
  }
}

async function open(): Promise<Opened> {
  const port = await freePort();
  const home = await createPageHome();
  return { home, port, shell: new PageShell(home.folder, environmentOf(home, port)) };
}

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return String(address.port);
}
