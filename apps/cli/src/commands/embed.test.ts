import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { buildTestModel } from "@pond/embed-testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Home, line } from "../testing.ts";
import { type Endpoint, startEndpoint, topicAnswer, topicDimension } from "../testing-endpoint.ts";
import { startOf } from "../testing-start.ts";

// The whole path: configuration, sync, search, status, with a model of the tests' own.
const texts = [
  "the heron stood in the reeds",
  "an automobile needs a new engine",
  "bread rises while the dough rests",
];

let home: Home;
beforeEach(() => {
  home = new Home();
  for (const [at, text] of texts.entries()) home.writeSession(`s${at}`, line(`s${at}`, "m", text));
});
afterEach(() => home.remove());

const configure = (toml: string) => home.write(".config/pond/config.toml", `[embeddings]\n${toml}`);
const json = async (...argv: readonly string[]) => JSON.parse((await home.pond(...argv)).stdout);
const found = ({ sessions }: { sessions: readonly { session_id: string }[] }) =>
  sessions.map(({ session_id }) => session_id);

describe("a model in a folder", () => {
  beforeEach(async () => {
    await buildTestModel(join(home.folder, "model"), { words: texts.join(" ").split(" ") });
    configure('folder = "~/model"');
  });

  it("is used by sync, search and status", async () => {
    const first = await home.pond("sync");
    const second = await json("sync", "--json");
    const searched = await home.pond("search", "heron");
    const response = await json("search", "heron", "--json");
    const status = await home.pond("status");

    expect(first).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^claude-code .*\n3 messages embedded by model#\w+\.\nStored /),
      stderr: "",
    });
    expect(second.embedded).toBe(0);
    expect(searched.stdout).toMatch(
      /^ 1 {2}s0 .*\n {4}the heron .*\n {4}user similarity 0\.\d\d\n/,
    );
    expect(searched.stderr).toMatch(/found in 3 messages by words and meaning, [\d,]+ ms\./);
    expect(response.mode).toBe("hybrid");
    expect(response.sessions[0]).toMatchObject({
      session_id: "s0",
      matches: [{ similarity: expect.any(Number) }],
    });
    expect(status.stdout).toMatch(/\nEMBEDDED {2}SHARE {2}MODEL\n +3 {2}100 % {2}model#\w+\n/);
    expect(status.stdout).toMatch(/\nNothing needs doing\.\n$/);
  });

  it("is not asked in a dry run, which counts the messages that it would embed", async () => {
    const before = await home.pond("sync", "--dry-run");
    await home.pond("sync");
    const unchanged = await home.pond("sync", "--dry-run");
    home.writeSession("s3", line("s3", "m", "a heron again"));
    const again = await home.pond("sync", "--dry-run", "--force-embed");
    const document = await json("sync", "--dry-run", "--json", "--only", "embed", "--force-embed");

    expect(before.stdout).toMatch(
      /\n0 stored messages to embed by model#\w+, and what is new in 3 sessions\.\nNothing was/,
    );
    expect(unchanged.stdout).toMatch(/^claude-code .*\nNothing was read or stored\./);
    expect(again.stdout).toMatch(
      /\n3 stored messages to embed by model#\w+, and what is new in 1 session\.\nNothing was/,
    );
    expect(document).toMatchObject({
      adapters: [],
      embedded: 0,
      embedding: { dimension: expect.any(Number), embedded: 0, remaining: 3 },
    });
  });

  it("keeps its stored embeddings when switched off, while search goes by words alone", async () => {
    await home.pond("sync");
    const env = { POND_EMBEDDINGS: "off" };

    const { stdout } = await home.pondWith({ env }, "status");
    const searched = await home.pondWith({ env }, "search", "heron");

    expect(stdout).toMatch(
      /\n +3 {2}100 % {2}model#\w+\nSearch goes by words alone: POND_EMBEDDINGS switches it off\.\n/,
    );
    expect(stdout).toMatch(/\nNothing needs doing\.\n$/);
    expect(searched.stderr).toMatch(/found in 3 messages, [\d,]+ ms\.\n$/);
  });

  it("lets search --explain show what each arm contributed", async () => {
    await home.pond("sync");

    const { stdout } = await home.pond("search", "heron", "--explain");
    const { explanation, sessions } = await json("search", "heron", "--explain", "--json");

    expect(stdout).toContain("Mode      by words and by meaning\n");
    expect(stdout).toMatch(/\nARM +WEIGHT +HITS +BEST\n/);
    expect(stdout).toMatch(/\n# +SCORE .*VECTOR +SESSION\n1 +[\d.]+ .* s0\n/);
    expect(stdout).toMatch(/\nSIMILARITY {2}NEAREST MESSAGE {2}SESSION\n +\d\.\d+ +m +s0\n/);
    expect(stdout).toMatch(/\nPlan of vector\n.*KNN/s);
    const sum = explanation.arms.reduce(
      (total: number, { contributions }: { contributions: Record<string, number> }) =>
        total + (contributions["s0"] ?? 0),
      0,
    );
    expect(sum).toBeCloseTo(sessions[0].score, 3);
  });

  it("may be missing: sync still stores, and search goes by words alone with a warning", async () => {
    configure('folder = "~/gone\\u001b[2J"');

    const synced = await home.pond("sync");
    const document = await json("sync", "--json");
    const searched = await home.pond("search", "heron");
    const response = await json("search", "heron", "--json");
    const status = await home.pond("status");

    expect([synced.code, synced.stdout]).toEqual([
      3,
      expect.stringMatching(/^claude-code {2}3 sessions: 3 new, \+3 messages\nStored in /),
    ]);
    expect(synced.stderr).toMatch(/^error: .*gone␛\[2J: there is no such folder\n/);
    expect(document.error).toMatchObject({
      code: "not_found",
      details: { kind: "model_not_found" },
    });
    expect([searched.code, searched.stdout]).toEqual([0, expect.stringMatching(/^ 1 {2}s0 /)]);
    expect(searched.stderr).toMatch(/by words alone, .*\nwarning: .*gone␛\[2J: there is no such/);
    expect([response.mode, response.warnings]).toEqual([
      "full_text",
      [{ code: "embedding_failed", message: expect.stringContaining("there is no such folder") }],
    ]);
    expect(status.stdout).toMatch(/\n! Search goes by words alone: .*gone␛\[2J: there is no such/);
  });

  it("may be replaced by another model, and --force-embed then embeds all messages again", async () => {
    await home.pond("sync");
    await buildTestModel(join(home.folder, "other"), { dimension: 32 });
    configure('folder = "~/other"');

    const before = await json("status", "--json");
    const between = await home.pond("search", "heron");
    const synced = await json("sync", "--force-embed", "--json");
    const after = await json("status", "--json");

    expect(before.embedding).toMatchObject({
      enabled: true,
      dimension: 32,
      embedded: 0,
      missing: 3,
    });
    expect(before.advice).toEqual([
      {
        code: "embeddings_behind",
        message: expect.stringMatching(/^3 messages .*, 3 of them only by another model: `pond/),
      },
    ]);
    expect(between.stderr).toContain("warning: ");
    expect(synced.embedded).toBe(3);
    expect(after.embedding).toMatchObject({ embedded: 3, missing: 0 });
    expect(after.embeddings).toHaveLength(1);
  });
});

describe("an embedding endpoint", () => {
  let endpoint: Endpoint;
  const configureEndpoint = (more = "") =>
    configure(
      `url = "${endpoint.url}"\nmodel = "topics"\ndimension = ${topicDimension}\nmax_texts = 1\n${more}`,
    );
  beforeEach(async () => {
    endpoint = await startEndpoint();
  });
  afterEach(() => endpoint.stop());

  it("finds a message that shares no word with the query", async () => {
    configureEndpoint('api_key_env = "TOPICS_KEY"\npassage_prefix = "passage: "');
    const env = { TOPICS_KEY: "secret" };

    const synced = await home.pondWith({ env }, "sync");
    const { stdout, stderr } = await home.pondWith({ env }, "search", "vehicle", "--json");
    const byWords = await home.pondWith({ env: { POND_EMBEDDINGS: "off" } }, "search", "vehicle");

    expect([synced.code, synced.stderr]).toEqual([0, ""]);
    expect([found(JSON.parse(stdout))[0], stderr]).toEqual(["s1", ""]);
    expect(byWords.stdout).toMatch(/^Nothing found in 3 messages\./);
    expect(endpoint.texts.toSorted()).toEqual(
      // The first is to show that the model works.
      [...["pond", ...texts].map((text) => `passage: ${text}`), "vehicle"].toSorted(),
    );
    expect(new Set(endpoint.keys)).toEqual(new Set(["Bearer secret"]));
  });

  it("is not asked when the variable with its key is not set", async () => {
    configureEndpoint('api_key_env = "TOPICS_KEY"');

    const { code, stderr } = await home.pond("sync", "--only", "embed");

    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/config\.toml:1: "embeddings.api_key_env" names TOPICS_KEY, but/),
    ]);
    expect(endpoint.texts).toEqual([]);
  });

  it("leaves out a message that it cannot embed, and no other", async () => {
    await endpoint.stop();
    endpoint = await startEndpoint((asked) =>
      asked.some((text) => text.includes("bread"))
        ? { status: 400, body: JSON.stringify({ error: { message: "too \x1b[2J long" } }) }
        : topicAnswer(asked),
    );
    configureEndpoint();

    const { code, stdout, stderr } = await home.pond("sync");
    const status = await home.pond("status");

    expect([code, stdout]).toEqual([
      3,
      expect.stringMatching(/\n2 messages embedded by topics#\w+, 1 not to be embedded\.\n/),
    ]);
    expect(stderr).toMatch(
      /^warning: 1 message could not be embedded .*:\n {2}s2 m {2}topics: .*\n$/,
    );
    expect(stderr).not.toContain("\x1b[2J");
    expect(status.stdout).toMatch(
      /\n! 1 message is not embedded by topics#\w+: `pond sync` does it/,
    );
  });

  it("that fails midway keeps the embeddings stored so far", async () => {
    await endpoint.stop();
    // The word that shows that the model works, and two messages.
    endpoint = await startEndpoint((asked) =>
      endpoint.texts.length <= 3 ? topicAnswer(asked) : { status: 401, body: "" },
    );
    configureEndpoint();

    const synced = await json("sync", "--json");
    const status = await json("status", "--json");

    expect(synced).toMatchObject({ embedded: 2, error: { details: { status: 401 } } });
    expect(status.embedding).toMatchObject({ embedded: 2, missing: 1 });
  });

  it("continues after Ctrl-C with the messages that are left", async () => {
    let child: ChildProcess | undefined;
    await endpoint.stop();
    endpoint = await startEndpoint((asked) => {
      // The word that shows that the model works, and a message.
      if (child === undefined || endpoint.texts.length <= 2) return topicAnswer(asked);
      child.kill("SIGINT");
      return { status: 503, headers: { "retry-after": "60" }, body: "" };
    });
    configureEndpoint();

    const onStart = (started: ChildProcess) => {
      child = started;
    };
    const stopped = await home.spawn(["sync"], { onStart });
    child = undefined;
    const rest = await json("sync", "--json");

    expect(stopped).toEqual({
      code: 130,
      stdout: expect.stringMatching(/\n1 message embedded by topics#\w+, 2 left\.\nStored in /),
      stderr: "Stopped. 2 messages left to embed: `pond sync` continues.\n",
    });
    expect(rest).toMatchObject({ embedded: 2, embedding: { remaining: 0 } });
  });
});

describe("a search", () => {
  it("stops at Ctrl-C, even when something else keeps the process alive", async () => {
    let child: ChildProcess | undefined;
    const endpoint = await startEndpoint((asked) => {
      if (child === undefined) return topicAnswer(asked);
      child.kill("SIGINT");
      return { status: 503, headers: { "retry-after": "60" }, body: "" };
    });
    configure(`url = "${endpoint.url}"\nmodel = "topics"\ndimension = ${topicDimension}`);
    await home.pond("sync");

    const onStart = (started: ChildProcess) => {
      child = started;
    };
    // As a call of the engine does that goes on.
    const busy = "data:text/javascript,setInterval(() => {}, 1e6)";
    const start = ["--import", busy, ...startOf("main")];
    const stopped = await home.spawn(["search", "heron", "--json"], { start, onStart });
    await endpoint.stop();

    expect({ ...stopped, stdout: JSON.parse(stopped.stdout) }).toEqual({
      code: 130,
      stdout: { error: { code: "internal", message: "Stopped.", details: { kind: "stopped" } } },
      stderr: "Stopped.\n",
    });
  });
});

describe("without a model", () => {
  it.each([
    [["sync", "--only", "embed"], "there is no model to embed with: no embedding model"],
    [["sync", "--force-embed"], "there is no model to embed with: no embedding model"],
    [["sync", "--force-embed", "--skip", "embed"], "--force-embed needs the stage that"],
    [["sync", "--verify", "--skip", "import"], "--verify needs the stage that"],
    [["sync", "pi", "--path", ".", "--only", "embed"], "--path needs the stage that"],
  ])("refuses %j", async (argv, message) => {
    const { code, stderr } = await home.pond(...argv);

    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
