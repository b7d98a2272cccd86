import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildTestModel, type TestModelOptions } from "./build-test-model.ts";

/** A temporary folder with one model in it, for tests that change its files. */
export class ModelFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), "pond-model-"));

  static async with(options: TestModelOptions = {}): Promise<ModelFolder> {
    const folder = new ModelFolder();
    await buildTestModel(folder.path, options);
    return folder;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** Text and bytes as they are, anything else as JSON. */
  write(name: string, content: string | object): void {
    const isPlain = typeof content === "string" || content instanceof Uint8Array;
    writeFileSync(this.file(name), isPlain ? content : JSON.stringify(content));
  }

  /** Sets fields of a JSON file. */
  edit(name: string, change: object): void {
    this.write(name, { ...JSON.parse(readFileSync(this.file(name), "utf8")), ...change });
  }

  /** Deletes a file, or the folder. */
  remove(name = ""): void {
    rmSync(this.file(name), { recursive: true });
  }
}
