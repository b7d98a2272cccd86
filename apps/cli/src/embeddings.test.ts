import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError, UsageError } from "./errors.ts";
import { resolveSettings } from "./settings.ts";
import { Home } from "./testing.ts";

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const configPath = ".config/pond/config.toml";
const resolveWith = async (toml: string | undefined, env = {}) => {
  if (toml !== undefined) home.write(configPath, toml);
  return (await resolveSettings({}, env, home.folder)).embeddings;
};

describe("[embeddings] of config.toml", () => {
  it.each([
    [
      "a model that pond knows",
      'model = "m"\nthreads = 2',
      { kind: "pinned", model: "m", threads: 2 },
    ],
    [
      "a model folder",
      'folder = "~/m"\npooling = "cls"\nquery_prefix = "q: "\npassage_prefix = ""\nmax_tokens = 256',
      {
        kind: "folder",
        folder: "~/m",
        pooling: "cls",
        queryPrefix: "q: ",
        passagePrefix: "",
        maxTokens: 256,
      },
    ],
    [
      "an HTTP endpoint",
      'url = "http://127.0.0.1:1/v1"\nmodel = "m"\ndimension = 768\napi_key_env = "KEY"\nmax_texts = 8\nmax_characters = 2000\nrequests_per_minute = 60\ntimeout_seconds = 5',
      {
        kind: "http",
        url: "http://127.0.0.1:1/v1",
        model: "m",
        dimension: 768,
        apiKeyEnv: "KEY",
        maxTexts: 8,
        maxCharacters: 2000,
        requestsPerMinute: 60,
        timeoutMs: 5000,
      },
    ],
  ])("names %s", async (_, toml, expected) => {
    const embeddings = await resolveWith(`[embeddings]\n${toml}`);

    const model = JSON.parse(JSON.stringify(embeddings).replaceAll(home.folder, "~")).model;
    expect(model).toEqual(expected);
  });

  it("is opt-in, and switches embeddings on by its presence unless enabled is false (spec 8)", async () => {
    const states = [
      await resolveWith(undefined),
      await resolveWith('[embeddings]\nmodel = "m"'),
      await resolveWith('[embeddings]\nenabled = false\nmodel = "m"'),
      await resolveWith("[embeddings]\nenabled = false"),
    ];

    expect(states.map(({ isOn }) => isOn)).toEqual([false, true, false, false]);
  });

  it.each([
    ['model = "m"', { POND_EMBEDDINGS: "off" }, false],
    ['model = "m"', { POND_EMBEDDINGS: "" }, true],
    ['enabled = false\nmodel = "m"', { POND_EMBEDDINGS: "on" }, true],
  ])("is overridden by a POND_EMBEDDINGS that is not empty: %j %j", async (toml, env, expected) => {
    expect((await resolveWith(`[embeddings]\n${toml}`, env)).isOn).toBe(expected);
  });

  it.each([
    ["no", { POND_EMBEDDINGS: "maybe" }, 'POND_EMBEDDINGS is "maybe"; it can be on or off'],
    ["no", { POND_EMBEDDINGS: "on" }, "POND_EMBEDDINGS is on, but no embedding model"],
  ])(
    "does not accept a POND_EMBEDDINGS that is invalid or that has no model to switch on",
    async (_, env, message) => {
      const settings = resolveWith(undefined, env);

      await expect(settings).rejects.toThrow(UsageError);
      await expect(settings).rejects.toThrow(message);
    },
  );

  it.each([
    ["", ':1: "embeddings" names no model: add model = "NAME"'],
    [
      "modell = 1",
      ':2: "embeddings.modell" is not a setting; did you mean "model"? known here: enabled, model',
    ],
    ["temperature = 1", ':2: "embeddings.temperature" is not a setting; known here: enabled'],
    ["enabled = 1", ':2: "embeddings.enabled" must be true or false'],
    ["model = 5", ':2: "embeddings.model" must be a string'],
    ['model = "m"\nfolder = "f"', ':3: "embeddings.folder" and "embeddings.model" both name'],
    ['folder = "f"\nurl = "http://x"', ':2: "embeddings.folder" and "embeddings.url" both name'],
    ['model = "m"\npooling = "mean"', ':3: "embeddings.pooling" does not go with a model pond'],
    ['folder = "f"\ndimension = 3', ':3: "embeddings.dimension" does not go with a folder'],
    ['folder = "f"\npooling = "max"', ':3: "embeddings.pooling" must be "mean" or "cls"'],
    ['folder = "f"\nthreads = 0', ':3: "embeddings.threads" must be a whole number from 1'],
    ['folder = "f"\nquery_prefix = 1', ':3: "embeddings.query_prefix" must be a string'],
    ['url = "http://x"', ':1: "embeddings" has a url but no model'],
    ['url = "http://x"\nmodel = "m"', ':1: "embeddings" has a url but no dimension'],
    ['url = "x"\nmodel = "m"\ndimension = 3', ':2: "embeddings.url" is not an address'],
    ['url = "file:///x"\nmodel = "m"\ndimension = 3', ':2: "embeddings.url" must begin with http'],
    ['url = "http://me:secret@x"\nmodel = "m"\ndimension = 3', ':2: "embeddings.url" holds a user'],
    ['url = "http://x/v1?key=secret"\nmodel = "m"\ndimension = 3', "must end with its path"],
    [
      'url = "http://x"\nmodel = "m"\ndimension = 3\napi_key_env = "sk-secret"',
      ':5: "embeddings.api_key_env" must be the name of an environment variable',
    ],
    ['url = "http://x"\nmodel = "m"\ndimension = 1.5', '"embeddings.dimension" must be a whole'],
  ])("is refused with the place of the mistake: %j", async (toml, message) => {
    const failure = await resolveWith(`[embeddings]\n${toml}`).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(ConfigError);
    expect(String(failure)).toContain(join(home.folder, configPath));
    expect(String(failure)).toContain(message);
    expect(String(failure)).not.toContain("secret");
  });

  it("accepts the README's examples, and the README names every key", async () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const blocks = [...readme.matchAll(/```toml\n(.*?)```/gs)].map(([, toml = ""]) => toml);
    const failure = await resolveWith("[embeddings]\nx = 1").catch((error: unknown) => error);
    const [, known = ""] = /known here: (.*)/.exec(String(failure)) ?? [];

    // What is of no table comes before what is.
    expect(await resolveWith(blocks.toReversed().join("\n"))).toMatchObject({
      model: { kind: "pinned", model: "multilingual-e5-small" },
    });
    expect(known.split(", ").filter((name) => !readme.includes(name))).toEqual([]);
    expect(known.split(", ").length).toBeGreaterThan(10);
  });

  it("names the line of a wrong setting in this table, not in another", async () => {
    const toml = '[adapters.codex]\nenabled = true\n[embeddings]\nmodel = "m"\nenabled = "yes"';

    await expect(resolveWith(toml)).rejects.toThrow(/:5: "embeddings.enabled"/);
  });
});
