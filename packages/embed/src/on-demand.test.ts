import { execFileSync } from "node:child_process";
import { ModelFolder } from "@pond/embed-testkit";
import { afterAll, beforeAll, expect, it } from "vitest";

let folder: ModelFolder;
beforeAll(async () => {
  folder = await ModelFolder.with({ dimension: 8 });
});
afterAll(() => folder.remove());

/** Runs a program in a process of its own; `loaded()` tells which packages it has loaded so far. */
function run(program: string, refused = ""): unknown {
  const hooks = `
    import { registerHooks } from "node:module";
    const seen = new Set();
    globalThis.loaded = () => [...seen].sort();
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier === "${refused}") {
          throw Object.assign(new Error("no such package"), { code: "ERR_MODULE_NOT_FOUND" });
        }
        const found = next(specifier, context);
        const name = /^(@[^/]+[/])?[a-z][^/:]*$/.exec(specifier)?.[0];
        if (name !== undefined && !found.url.startsWith("node:")) seen.add(name);
        return found;
      },
    });`;
  const output = execFileSync(
    process.execPath,
    [
      "--conditions=@pond/source",
      `--import=data:text/javascript,${encodeURIComponent(hooks)}`,
      "--input-type=module-typescript",
      "--eval",
      `import { openEmbedder } from "./src/index.ts";
       const folder = ${JSON.stringify(folder.path)};
       const print = (value: unknown) => console.log(JSON.stringify(value));
       ${program}`,
    ],
    { cwd: new URL("..", import.meta.url), encoding: "utf8" },
  );
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

it("loads no runtime, tokenizer or network code before the first text", () => {
  const printed = run(`
    print(loaded());
    const embedder = await openEmbedder({ kind: "folder", folder });
    const remote = await openEmbedder({ kind: "http", url: "http://a.test", model: "m", dimension: 2 });
    print(loaded());
    await embedder.embed(["lock"], { kind: "query" });
    print(loaded().filter((name) => /onnxruntime-node|tokenizers|undici/.test(name)));
  `);

  expect(printed).toEqual([[], [], ["@huggingface/tokenizers", "onnxruntime-node"]]);
});

it("says how to install the runtime if it is missing", () => {
  const printed = run(
    `
    const embedder = await openEmbedder({ kind: "folder", folder });
    await embedder.embed(["lock"], { kind: "query" }).catch(({ code, details }) => print({ code, details }));
    `,
    "onnxruntime-node",
  );

  expect(printed).toEqual([
    {
      code: "runtime_missing",
      details: {
        package: "onnxruntime-node",
        reason: "is not installed",
        command: "npm install onnxruntime-node",
      },
    },
  ]);
});

it("lets a process with an idle model end", () => {
  const printed = run(`
    const embedder = await openEmbedder({ kind: "folder", folder });
    const [vector] = await embedder.embed(["lock"], { kind: "query" });
    print(vector.length);
  `);

  expect(printed).toEqual([8]);
});
