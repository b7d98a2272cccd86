import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildTestModel } from "@pond/embed-testkit";
import { createHome, type Home } from "../e2e/pond.ts";
import { type Rows, storedRows } from "../e2e/rows.ts";
import { copyHome, done } from "./processes.ts";
import { type Stage, writeTranscripts } from "./transcripts.ts";

/** A home to start from, and all rows of its store. */
export type Template = { readonly home: Home; readonly rows: Rows };

/** The homes that several faults start from, each made when it is first needed. */
export class Workshop {
  readonly folder: string = mkdtempSync(join(tmpdir(), "pond-chaos-"));
  /** The client's home that is synced. It is always at one path, because the path is stored. */
  readonly source: string = join(this.folder, "client");
  readonly #made: Map<string, Promise<unknown>> = new Map();
  readonly #homes: Home[] = [];

  /** The arguments that sync the client's home. */
  get sync(): readonly string[] {
    return ["sync", "claude-code", "--path", this.source, "--json"];
  }

  /** A home with nothing stored. The command has run once, so that its compiled code is there. */
  empty(): Promise<Home> {
    return this.#once("empty", async () => {
      const home = this.#home();
      await home.pond("status");
      return home;
    });
  }

  /** A home in which the first stage of the client is stored. */
  first(): Promise<Template> {
    return this.#once("first", async () => this.#synced(await this.empty(), ["first"]));
  }

  /** A home in which both stages were stored in turn. The client's home stays at the second. */
  grown(): Promise<Template> {
    return this.#once("grown", async () => {
      const { home } = await this.first();
      return this.#synced(home, ["grown"]);
    });
  }

  /** A home with only the second stage, in a store that never saw the first. */
  whole(): Promise<Template> {
    return this.#once("whole", async () => {
      await this.grown();
      return this.#synced(await this.empty(), ["grown"]);
    });
  }

  /** An archive of {@link grown}. */
  archive(): Promise<string> {
    return this.#once("archive", async () => {
      const { home } = await this.grown();
      const file = join(this.folder, "grown.pond");
      await done(home, "export", "-o", file, "--json");
      return file;
    });
  }

  /** {@link grown}, configured to embed with a small model; nothing is embedded yet. */
  embeddable(): Promise<Template> {
    return this.#once("embeddable", async () => {
      const { home, rows } = await this.grown();
      const own = this.#home(home);
      const model = join(this.folder, "model");
      await buildTestModel(model, { dimension: 64 });
      mkdirSync(join(own.folder, "config", "pond"), { recursive: true });
      const config = `[embeddings]\nfolder = ${JSON.stringify(model)}\n`;
      writeFileSync(join(own.folder, "config", "pond", "config.toml"), config);
      return { home: own, rows };
    });
  }

  remove(): void {
    for (const home of this.#homes) home.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #synced(from: Home, stages: readonly Stage[]): Promise<Template> {
    const home = this.#home(from);
    for (const stage of stages) {
      rmSync(this.source, { recursive: true, force: true });
      writeTranscripts(this.source, stage);
      await done(home, ...this.sync);
    }
    return { home, rows: (await storedRows(home.storage)).rows };
  }

  /** A home of its own that begins as a copy. */
  copyOf(from: Home): Home {
    return this.#home(from);
  }

  #home(from?: Home): Home {
    const home = createHome();
    this.#homes.push(home);
    if (from !== undefined) copyHome(from, home);
    return home;
  }

  #once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const made = (this.#made.get(name) as Promise<T> | undefined) ?? make();
    this.#made.set(name, made);
    return made;
  }
}
