import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildTestModel } from "@pond/embed-testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Home, line } from "./testing.ts";
import { startEndpoint, topicDimension } from "./testing-endpoint.ts";
import { sourceStartOf } from "./testing-start.ts";

// Writes down at the end what the process has loaded: modules, and libraries mapped into memory.
const recorder = `
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
const loaded = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
process.on("exit", () => {
  const maps = existsSync("/proc/self/maps") ? readFileSync("/proc/self/maps", "utf8") : "";
  const mapped = maps.split("\\n").map((line) => line.slice(line.indexOf("/")));
  writeFileSync(process.env.LOADED_FILE, [...loaded, ...new Set(mapped)].join("\\n"));
});
`;

// Whatever only embedding needs: our package, what it is made of, and its library.
const ofModels = /\/packages\/embed\/|onnxruntime|tokenizers|undici/;

let home: Home;
beforeAll(async () => {
  home = new Home();
  home.write("recorder.mjs", recorder);
  home.write(".config/pond/config.toml", '[embeddings]\nfolder = "~/model"');
  await buildTestModel(join(home.folder, "model"));
  home.writeSession("s1", line("s1", "a", "the heron stood in the reeds"));
  expect((await home.spawn(["sync", "-q"])).code).toBe(0);
});
afterAll(() => home.remove());

// The store has vectors all the same.
const offs = [
  ["without a model", { XDG_CONFIG_HOME: "/nowhere" }],
  ["with POND_EMBEDDINGS=off", { POND_EMBEDDINGS: "off" }],
] as const;
const commands = [["search", "heron"], ["status"], ["sync"], ["mcp"]];

/** The lines of what a command loaded. */
async function loadedBy(argv: readonly string[], env = {}): Promise<readonly string[]> {
  const file = join(home.folder, "loaded.txt");
  const hook = pathToFileURL(join(home.folder, "recorder.mjs")).href;
  const finished = await home.spawn(argv, {
    start: sourceStartOf("main"),
    env: { ...env, NODE_OPTIONS: `--import=${hook}`, LOADED_FILE: file },
  });
  expect([finished.code, finished.stderr.includes("error")]).toEqual([0, false]);
  return readFileSync(file, "utf8").split("\n");
}

describe("the modules that a command loads", () => {
  it("are recorded, without which the tests below would prove nothing", async () => {
    const loaded = await loadedBy(["search", "heron"]);

    const modules = [
      /\/packages\/search\/src\/search\.ts$/,
      /\/packages\/embed\/src\//,
      /\/@huggingface\/tokenizers\//,
      /\/onnxruntime-node\/.*\.js$/,
    ];
    // Libraries can be seen on Linux only.
    const libraries = [/\/lancedb.*\.node$/, /\/onnxruntime_binding\.node$/];
    const expected = existsSync("/proc/self/maps") ? [...modules, ...libraries] : modules;
    expect(expected.filter((each) => loaded.some((line) => each.test(line)))).toEqual(expected);
  });

  it.each(offs.flatMap(([state, env]) => commands.map((argv) => [state, argv, env] as const)))(
    "include nothing of models %s: %j (spec 8, opt-in)",
    async (_, argv, env) => {
      const loaded = await loadedBy(argv, env);

      expect(loaded.length).toBeGreaterThan(10);
      expect(loaded.filter((each) => ofModels.test(each))).toEqual([]);
    },
  );

  it("include no local model when an endpoint is used", async () => {
    const endpoint = await startEndpoint();
    const toml = `[embeddings]\nurl = "${endpoint.url}"\nmodel = "m"\ndimension = ${topicDimension}`;
    const env = { POND_CONFIG: home.write("endpoint.toml", toml) };

    const loaded = await loadedBy(["sync", "--namespace", "other"], env);

    await endpoint.stop();
    // A word that shows that the model works, and what is to be embedded.
    expect(endpoint.texts).toHaveLength(2);
    expect(loaded.some((each) => each.includes("/undici/"))).toBe(true);
    expect(loaded.filter((each) => /onnxruntime|tokenizers/.test(each))).toEqual([]);
  });

  it("include nothing of pages and redaction unless these are asked for", async () => {
    const ofPages = /\/packages\/share\/|secretlint|markdown-it/;

    const loaded = [...(await loadedBy(["get", "s1"])), ...(await loadedBy(["get", "--help"]))];
    const asked = await loadedBy(["get", "s1", "--redact"]);

    expect(loaded.filter((each) => ofPages.test(each))).toEqual([]);
    expect(asked.some((each) => ofPages.test(each))).toBe(true);
  });

  it.each([[["status"]], [["sync"]], [["mcp"]]])(
    "include no model when nothing is to be embedded: %j",
    async (argv) => {
      const loaded = await loadedBy(argv);

      expect(loaded.filter((each) => /onnxruntime|tokenizers/.test(each))).toEqual([]);
    },
  );

  it.each([
    [["--help"]],
    [["complete", "zsh", "--", "sync", "--only", ""]],
    [["complete", "zsh", "--", "sync", "c"]],
  ])("are only the definitions of commands when those are enough: %j", async (argv) => {
    const loaded = await loadedBy(argv);

    expect(loaded.some((each) => each.endsWith("/apps/cli/src/program.ts"))).toBe(true);
    expect(loaded.filter((each) => /\/packages\/|lancedb|smol-toml/.test(each))).toEqual([]);
  });
});
