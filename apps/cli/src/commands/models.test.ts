import type { ChildProcess } from "node:child_process";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type PinnedModel, pinnedModels } from "@pond/embed";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeDownload } from "../download-model.ts";
import { Home } from "../testing.ts";

const [model] = pinnedModels as readonly [PinnedModel];
const bytes = model.files.reduce((sum, file) => sum + file.bytes, 0);

let home: Home;
let env: Record<string, string>;
beforeEach(() => {
  home = new Home();
  env = { XDG_CACHE_HOME: join(home.folder, "cache") };
});
afterEach(() => home.remove());

const pond = (...argv: readonly string[]) => home.pondWith({ env }, "models", ...argv);

/** Files of the right size, though nothing is in them. */
function putModel(): string {
  const folder = join(home.folder, "cache/pond/models", folderName());
  mkdirSync(folder, { recursive: true });
  for (const file of model.files) {
    writeFileSync(join(folder, file.name), "");
    truncateSync(join(folder, file.name), file.bytes);
  }
  return folder;
}

function folderName(): string {
  return `${model.name}@${model.revision.slice(0, 12)}`;
}

describe("pond models", () => {
  it("lists the models that can be downloaded, and says how to configure one", async () => {
    const { code, stdout, stderr } = await pond();

    expect(code).toBe(0);
    expect(stdout).toMatch(/^MODEL +DIMENSION +SIZE +LICENCE +STATE *\n/);
    expect(stdout.trimEnd().split("\n")).toHaveLength(pinnedModels.length + 1);
    expect(stderr).toContain("no embedding model is configured");
    expect(stderr).toContain('[embeddings]\n  model = "');
  });

  it("is no wider than the terminal, whatever state a model is in", async () => {
    const terminal = { env, isTerminal: true, columns: 60 };
    const configured = `[embeddings]\nmodel = "${model.name}"`;
    const shown: string[] = [];

    shown.push((await home.pondWith(terminal, "models")).stdout);
    home.write(".config/pond/config.toml", configured);
    shown.push((await home.pondWith(terminal, "models")).stdout);
    putModel();
    shown.push((await home.pondWith(terminal, "models")).stdout);
    home.write(".config/pond/config.toml", "");
    shown.push((await home.pondWith(terminal, "models")).stdout);

    const states = ["", "configured…", "configured", "downloaded"];
    for (const [at, text] of shown.map(stripVTControlCharacters).entries()) {
      expect(text).toContain(states[at]);
      expect(text.split("\n").filter((line) => line.length > 60)).toEqual([]);
    }
  });

  it.each([
    [false, false, ""],
    [true, false, "downloaded"],
    [false, true, "configured, not downloaded"],
    [true, true, "configured"],
  ])(
    "shows the state of a model, downloaded: %j, configured: %j",
    async (isHere, isConfigured, state) => {
      if (isHere) putModel();
      if (isConfigured) {
        home.write(".config/pond/config.toml", `[embeddings]\nmodel = "${model.name}"`);
      }

      const { stdout } = await pond();
      const json = JSON.parse((await pond("list", "--json")).stdout);

      const line = stdout.split("\n").find((each) => each.startsWith(`${model.name} `));
      expect(line?.trimEnd().endsWith(state)).toBe(true);
      expect(json).toEqual({
        models: expect.arrayContaining([
          {
            name: model.name,
            dimension: model.dimension,
            bytes,
            licence: model.licence,
            downloaded: isHere,
            configured: isConfigured,
          },
        ]),
        directory: join(home.folder, "cache/pond/models"),
      });
    },
  );

  it.each([
    ['folder = "~/m\\u001b[2J"', "Configured: the folder ~/m␛[2J.\n"],
    [
      'url = "http://127.0.0.1:1/v1"\nmodel = "\\u001b[2J"\ndimension = 3',
      "Configured: ␛[2J at http://127.0.0.1:1/v1.\n",
    ],
  ])("names a model of the user's own: %s", async (toml, expected) => {
    home.write(".config/pond/config.toml", `[embeddings]\n${toml}`);

    expect((await pond()).stderr).toBe(expected);
  });

  it("removes a model, and says where the configuration still names it", async () => {
    putModel();
    home.write(".config/pond/config.toml", `\n[embeddings]\nmodel = "${model.name}"`);

    const first = await pond("remove", model.name);
    const second = await pond("remove", model.name, "--json");

    expect([first.code, first.stdout]).toEqual([0, `${model.name} is removed.\n`]);
    expect(first.stderr).toMatch(/config\.toml:2 still names it/);
    expect(JSON.parse(second.stdout)).toEqual({ name: model.name, removed: false });
  });
});

describe("pond models download", () => {
  let server: Server;
  let requests: (string | undefined)[];
  beforeEach(async () => {
    requests = [];
    server = createServer((request, response) => {
      requests.push(request.url);
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    env["HF_ENDPOINT"] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  it("says that a model is here already, and fetches nothing", async () => {
    const folder = putModel();

    const { code, stdout, stderr } = await pond("download", model.name);
    const json = JSON.parse((await pond("download", model.name, "--json")).stdout);

    const place = folder.replace(home.folder, "~");
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^${model.name} is here already: ${place} \\(.*\\)\\.\n$`)),
    ]);
    expect(stderr).toContain(`model = "${model.name}"`);
    expect(json).toEqual({ name: model.name, folder, bytes, was_here: true });
    expect(requests).toEqual([]);
  });

  it("reports a failed download, and suggests HTTPS_PROXY and HF_ENDPOINT", async () => {
    const { code, stdout, stderr } = await pond("download", model.name, "--json");

    expect([code, requests.length]).toEqual([1, 1]);
    expect(stderr).toContain("HTTPS_PROXY and HF_ENDPOINT");
    expect(JSON.parse(stdout).error).toMatchObject({
      code: "internal",
      message: expect.stringContaining(`${model.name}: model.onnx: the server has no such file`),
      details: { kind: "download_failed", status: 404 },
    });
  });

  it("stops at Ctrl-C and says how to continue", async () => {
    let child: ChildProcess | undefined;
    server.removeAllListeners("request").on("request", (_, response) => {
      response.writeHead(200, { "content-length": bytes });
      response.write(Buffer.alloc(1_000), () => child?.kill("SIGINT"));
    });

    const { code, stdout, stderr } = await home.spawn(["models", "download", model.name], {
      env,
      onStart: (started) => {
        child = started;
      },
    });

    expect([code, stdout, stderr]).toEqual([
      130,
      "",
      `Stopped. \`pond models download ${model.name}\` continues from there.\n`,
    ]);
  });

  it.each([
    ["MULTILINGUAL-e5-smal", `did you mean "multilingual-e5-small"? pond knows`],
    ["\x1b[2J", 'no model is called "␛[2J"; pond knows multilingual-e5-small, '],
  ])("refuses the unknown model %j", async (name, message) => {
    const { code, stderr } = await pond("download", name);

    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it("draws its progress", () => {
    const pace = { done: 30e6, total: 120e6, doneBefore: 10e6, elapsedMs: 5_000, columns: 79 };

    expect(describeDownload("model.onnx", pace)).toBe(
      "model.onnx  ██░░░░░░  25 %  30.0 MB/120 MB  25 s left  4.0 MB/s",
    );
  });
});
