import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shellLine } from "../shell-words.ts";
import { fixtures, Home, line } from "../testing.ts";

// One store of the samples for everything that only reads.
let home: Home;
beforeAll(async () => {
  home = new Home();
  const samples = join(fixtures, "samples", "claude-code");
  await home.pond("sync", "claude-code", "--path", samples);
});
afterAll(() => home.remove());

const ledger = "c5e1b000-3f0a-4d7e-8b21-6a9d4e2f1c02";
const json = async (...argv: readonly string[]) => {
  const { code, stdout } = await home.pond(...argv, "--json");
  expect(code).toBe(0);
  return JSON.parse(stdout);
};

describe("pond list", () => {
  it("lists main sessions, the last active first, each with the number of its sub-agents", async () => {
    const { code, stdout, stderr } = await home.pond("list");

    const lines = stdout.trimEnd().split("\n");
    expect([code, lines.length, stderr]).toEqual([0, 5, "4 sessions.\n"]);
    expect(lines[0]).toMatch(/^SESSION +ACTIVE +CLIENT +PROJECT +MESSAGES +\+AGENTS +TITLE$/);
    expect(lines.find((line) => line.startsWith(ledger))).toMatch(
      /claude-code {2}\/home\/ada\/ledger +14 +1 {2}CSV import loses rows/,
    );
    const listed = (await home.pond("list", "--json")).stdout.trimEnd().split("\n");
    const sessions = listed.map((each) => JSON.parse(each));
    const active: string[] = sessions.map(({ last_activity }) => last_activity);
    expect(active).toEqual(active.toSorted().toReversed());
    expect(new Set(active).size).toBe(4);
    for (const [at, { session_id }] of sessions.entries())
      expect(lines[at + 1]?.startsWith(session_id.slice(0, 8))).toBe(true);
  });

  it("prints one line of JSON for each session, with full ids", async () => {
    const { stdout } = await home.pond("list", "--json", "--project", "/home/ada/ledger");

    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        session_id: ledger,
        source_agent: "claude-code",
        project: "/home/ada/ledger",
        created_at: expect.stringMatching(/^2026-09-21T/),
        last_activity: expect.stringMatching(/^2026-09-21T/),
        messages: 14,
        title: "CSV import loses rows with line breaks",
        descendants: 1,
      },
    ]);
  });

  it("lists sub-agents too with --all", async () => {
    const { stdout } = await home.pond("list", "--all", "--json");

    expect(stdout.trimEnd().split("\n")).toHaveLength(5);
  });

  it("shortens a sub-agent's id to one that `pond get` accepts", async () => {
    const terminal = { isTerminal: true, columns: 80 };
    const { stdout } = await home.pondWith(terminal, "list", "--all", "--no-color");

    const [shortened = ""] = /c5e1b000…\S+/.exec(stdout) ?? [];
    expect((await json("get", shortened)).session.id).toMatch(/^c5e1b000-.+\/subagents\/agent-/);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it.each([52, 60, 80, 200])("fits a terminal of %i columns", async (columns) => {
    const { stdout } = await home.pondWith({ isTerminal: true, columns }, "list", "--no-color");

    expect(stdout).toContain("c5e1b000  ");
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
  });

  it("says that there are more sessions", async () => {
    const { stderr } = await home.pond("list", "--limit", "1");

    expect(stderr).toBe("1 session. There are more: --limit, --all.\n");
  });

  it("names the stored clients when the client asked for has no session", async () => {
    const [listed, searched] = await Promise.all([
      home.pond("list", "--agent", "codex"),
      home.pond("search", "coupon", "--agent", "codex"),
    ]);

    expect([listed.code, searched.code]).toEqual([2, 2]);
    for (const { stderr } of [listed, searched]) {
      expect(stderr).toContain('no session of "codex" is stored; there are: claude-code');
    }
  });

  it("says how to name a store when the store's own folder was given", async () => {
    const pond = join(home.folder, ".local", "share", "pond");

    const { code, stderr } = await home.pond("list", "--storage", join(pond, "default"));

    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        `is a store itself: pass ${shellLine(["--storage", pond])} --namespace default`,
      ),
    ]);
  });

  it("filters by time", async () => {
    const [all, later, earlier] = await Promise.all(
      [[], ["--since", "2026-10-05"], ["--until", "2026-10-05"]].map(async (times) => {
        const { stdout } = await home.pond("list", ...times, "--json");
        return stdout.trimEnd().split("\n");
      }),
    );

    expect(later).toHaveLength(1);
    expect([...(later ?? []), ...(earlier ?? [])]).toEqual(all);
  });
});

describe("pond get", () => {
  it("shows a session by the beginning of its id, though its sub-agents share it", async () => {
    const { code, stdout } = await home.pond("get", "c5e1");

    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Session c5e1b000-\S+\nclaude-code in \/home\/ada\/ledger, began 2026-09-21 /,
    );
    expect(stdout).toContain("\nImporting the bank's export loses rows");
  });

  it("prints the page of the wire protocol as JSON", async () => {
    const page = await json("get", ledger);

    expect(page).toMatchObject({
      session: { id: ledger, source_agent: "claude-code" },
      response_mode: "conversational",
      messages_remaining: 0,
    });
    expect(page.messages[0]).toMatchObject({ role: "user", text: expect.any(String) });
  });

  it("shows more with each mode", async () => {
    const [conversational, complete, verbatim] = await Promise.all(
      ["conversational", "complete", "verbatim"].map((mode) => json("get", ledger, "--mode", mode)),
    );

    expect(complete.messages.length).toBeGreaterThan(conversational.messages.length);
    expect(verbatim.messages[0].content[0]).toMatchObject({ type: "text" });
  });

  it("says in complete mode how much of a message the client injected", async () => {
    const other = new Home();
    const id = "dddd0000-hinted";
    const meta = line(id, "m2", "a hint of the client", { isMeta: true });
    other.writeSession(id, line(id, "m1", "why does it stop?"), meta);
    await other.pond("sync", "-q");

    const { stdout } = await other.pond("get", id, "--mode", "complete");

    other.remove();
    expect(stdout).toMatch(/ m1\nwhy does it stop\?\n\nuser .* m2\n {2}text \(injected, \d+ B\)\n/);
  });

  it("continues after a message with --after", async () => {
    const { messages } = await json("get", ledger);

    const rest = await json("get", ledger, "--after", messages[0].id);

    expect(rest.messages).toEqual(messages.slice(1));
  });

  it("shows how a session ended with --end, and what was before with --before", async () => {
    const other = new Home();
    const id = "dddd0000-long";
    const texts = Array.from({ length: 30 }, (_, at) => `turn ${at} ${"x".repeat(1_000)}`);
    other.writeSession(id, ...texts.map((text, at) => line(id, `m${at}`, text)));
    await other.pond("sync", "-q");

    const end = await other.pond("get", id, "--end");
    const [, count, before] = /(\d+) earlier messages: --before (\S+)/.exec(end.stderr) ?? [];
    const earlier = await other.pond("get", id, "--before", `${before}`);
    const first = await other.pond("get", id, "--before", "m0");
    const wire = JSON.parse((await other.pond("get", id, "--end", "--json")).stdout);
    other.remove();

    const turnsOf = ({ stdout }: { stdout: string }): number[] =>
      [...stdout.matchAll(/turn (\d+)/g)].map(([, at]) => Number(at));
    const shown = [...turnsOf(earlier), ...turnsOf(end)];
    expect(shown).toEqual(Array.from(shown, (_, at) => 30 - shown.length + at));
    expect(turnsOf(end).length).toBeGreaterThan(2);
    expect([`m${count}`, turnsOf(end)[0]]).toEqual([before, Number(count)]);
    expect(first.stderr).toContain("Nothing comes before it.");
    expect(wire.messages.at(-1).id).toBe("m29");
  });

  it("shows one message, with as many neighbours as --context says", async () => {
    const { messages } = await json("get", ledger, "--mode", "complete");
    const id = messages[3].id;

    const view = await json("get", ledger, "--message", id, "--context", "1");
    const { stdout } = await home.pond("get", ledger, "--message", id, "--context", "0");

    expect([view.before.length, view.target.id, view.after.length]).toEqual([1, id, 1]);
    expect(stdout).toContain(id);
  });

  it.each([
    [["get", "zzz"], 1, "no session zzz is stored"],
    [["get", ""], 2, "the session id is empty"],
    [["get", ledger, "--end", "--after", "x"], 2, "--end and --before go without --message"],
    [["get", ledger, "--before", "x", "--message", "y"], 2, "--end and --before go without"],
    [
      ["get", ledger, "--message", "zzz"],
      1,
      `holds no message zzz\n\`pond get ${ledger} --mode complete\` shows the ids of its messages.`,
    ],
    [
      ["search", "--limit", "2", "foo", "-bar"],
      2,
      '\n`pond search -- foo -bar` leaves out "bar".\n',
    ],
    [
      ["search", "-bar", "foo", "--baz"],
      2,
      '\n`pond search -- -bar foo --baz` leaves out "bar".\n',
    ],
    [["get", ledger, "--after", "zzz"], 1, "holds no message zzz"],
    [["get", ledger, "--context", "2"], 2, "--context needs --message"],
    [["get", ledger, "--mode", "short"], 2, "Allowed choices are conversational"],
    [["get"], 2, "missing required argument 'session'"],
    [["get"], 2, "See `pond get --help`."],
  ])("refuses %j with exit code %i", async (argv, expected, message) => {
    const { code, stderr } = await home.pond(...argv);

    expect([code, stderr]).toEqual([expected, expect.stringContaining(message)]);
  });
});

describe("pond search", () => {
  it("names the parent session when the best match is in a sub-agent", async () => {
    const words = ["Three", "places", "leave", "rows", "out", "silently"];
    const { stdout } = await home.pond("search", ...words, "--limit", "1");

    expect(stdout).toMatch(
      /^ 1 {2}c5e1b000-\S+\/subagents\/\S+ .* {2}claude-code {2}below c5e1b000-\S+\n/,
    );
  });

  it("numbers its results, shows the passage of each, and says how many it found", async () => {
    const { code, stdout, stderr } = await home.pond("search", "import", "loses", "rows");

    expect(code).toBe(0);
    expect(stdout).toMatch(/^ 1 {2}c5e1b000-\S+ {2}\/home\/ada\/ledger {2}.*\n(?: .*\n)*? .*rows/);
    expect(stderr).toMatch(/^\d sessions? found in \d+ messages, [\d,]+ ms\./);
  });

  it("shows the title of each session as `pond list` does", async () => {
    const { stdout } = await home.pond("search", "coupon", "--limit", "1");
    const [{ session_id: id = "", title = "" }] = (await json("search", "coupon")).sessions;

    const listed = await home.pond("list", "--json");
    expect(listed.stdout).toContain(`"title":${JSON.stringify(title)}`);
    expect(stdout).toMatch(new RegExp(`^ 1  ${id} .*\\n    ${title}\\n    `));
  });

  it("says when a message was written, if that is not when its session began", async () => {
    const { stdout } = await home.pond("search", "localDate");
    const onTerminal = await home.pondWith({ isTerminal: true }, "search", "localDate");

    expect(stdout).toMatch(/2026-09-14 08:12 {2}.*\n.*\n {4}assistant 2026-09-14 08:14\n/);
    // It shows days, and this session has one.
    expect(onTerminal.stdout).toContain("\n    \x1b[2massistant\x1b");
  });

  it("highlights matches on a terminal", async () => {
    const { stdout } = await home.pondWith({ isTerminal: true }, "search", "diaeresis");

    expect(stdout).toContain("\x1b[7mdiaeresis\x1b[27m");
    expect(stdout).toContain("\x1b[36m0b5ea000\x1b[39m");
  });

  it("prints the response of the wire protocol as JSON", async () => {
    const response = await json("search", "coupon", "--limit", "1", "--project", "/home/ada");

    expect(response).toMatchObject({
      mode: "full_text",
      total_in_scope: expect.any(Number),
      sessions: [{ project: "/home/ada/shop-api", matches: expect.any(Array) }],
    });
  });

  it.each([["search", "coupon"], ["list"]])(
    "names folders of the same name when nothing of the one asked for is stored: %s",
    async (...argv) => {
      const { code, stdout } = await home.pond(...argv, "--project", "Shop-API");

      const said = "Nothing of that folder is stored. There are sessions of: /home/ada/shop-api";
      expect([code, stdout.replaceAll(/\s+/g, " ")]).toEqual([0, expect.stringContaining(said)]);
    },
  );

  it("says what was searched when nothing is found", async () => {
    const { code, stdout } = await home.pond("search", "xylophonequartz");

    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Nothing found in \d+ messages\./)]);
    expect(stdout.replaceAll("\n", " ")).toContain(
      "Tool calls, their output and reasoning are not searched.",
    );
  });

  it("names a similar query if nobody said a word of it, whether it finds something or not", async () => {
    const nothing = await home.pond("search", "cuopon");
    const something = await home.pond("search", "flaky cuopon");

    expect(nothing.code).toBe(0);
    expect(nothing.stdout).toMatch(/^Nothing found in \d+ messages\. Did you mean: coupon\n$/);
    expect(something.stderr).toContain("Did you mean: flaky coupon\n");
    expect((await json("search", "cuopon")).did_you_mean).toBe("coupon");
  });

  it("accepts the beginning of a session's id as a filter", async () => {
    const response = await json("search", "the", "--session", "f1a4");

    expect(response.sessions).toHaveLength(1);
  });

  it("prints a cursor when there are more results, and continues from it", async () => {
    const first = await home.pond("search", "test", "--limit", "1");
    const [, cursor = ""] = /There are more: --after ([\w-]+)\.\n$/.exec(first.stderr) ?? [];

    const rest = await json("search", "test", "--after", cursor);

    const [shown] = (await json("search", "test", "--limit", "1")).sessions;
    const others = rest.sessions.map((each: { session_id: string }) => each.session_id);
    expect(others.length).toBeGreaterThan(0);
    expect(others).not.toContain(shown.session_id);
  });

  it("adds an explanation to the JSON with --explain", async () => {
    const response = await json("search", "coupon", "--explain");

    expect(response.explanation.terms.join()).toContain("coupon");
  });

  it("explains to people how the query was read, what each arm gave, and Lance's plans", async () => {
    const { stdout } = await home.pond("search", '"coupon.test.ts"', "fails", "--explain");

    expect(stdout).toContain("\nMode      by words\n");
    expect(stdout).toMatch(/\nWords {5}.*fails/);
    expect(stdout).toMatch(/\nLiterally coupon\.test\.ts\n/);
    expect(stdout).toMatch(/\nARM +WEIGHT +HITS +BEST\n/);
    expect(stdout).toMatch(/\n# +SCORE .* SESSION\n1 +[\d.]+ .* f1a4e000-\S+\n/);
    expect(stdout).toMatch(/\nPlan of message\nAnalyzeExec/);
  });

  it.each([
    [["search"], 2, "missing required argument 'query'"],
    [["search", " "], 2, "query: it is empty"],
    [["search", "x", "--since", "soon"], 2, "Use a date"],
    [["search", "x", "--project", ""], 2, "option '--project <folder>' argument '' is invalid"],
    [["list", "--project", ""], 2, "option '--project <folder>' argument '' is invalid"],
    [["list", "--project", " "], 2, "It is empty: name a file or folder"],
    [["list", "--since", "7d", "--until", "30d"], 2, "--until: it is not after --since"],
    [["search", "x", "--project", "\t"], 2, "It is empty: name a file or folder"],
    [["search", "x", "--limit", "0"], 2, "Use a whole number from 1"],
    [["search", "x", "--limit", "101"], 2, "Use a whole number from 1 to 100"],
    [["search", "x", "--role", "robot"], 2, "Allowed choices are user"],
    [["search", "x", "--session", "zzz"], 1, "no session zzz is stored"],
  ])("refuses %j with exit code %i", async (argv, expected, message) => {
    const { code, stderr } = await home.pond(...argv);

    expect([code, stderr]).toEqual([expected, expect.stringContaining(message)]);
  });
});

describe("an empty store", () => {
  it.each([
    [["search", "x"], /Nothing that search reads is stored yet: `pond sync`/],
    [["search", "x", "--since", "7d"], /The filters leave none, or nothing is stored/],
    [["restore", "--all"], /^Restored 0 sessions in 0 files\.\nNothing is stored yet: `pond sync`/],
    [["list"], /`pond sync` fetches what is new/],
  ])("makes %j explain why the result is empty", async (argv, message) => {
    const empty = new Home();
    await empty.pond("sync");

    const { code, stdout } = await empty.pond(...argv);

    empty.remove();
    expect([code, stdout]).toEqual([0, expect.stringMatching(message)]);
  });
});

describe("pond status", () => {
  it("reports what is stored, and that nothing needs doing", async () => {
    const { code, stdout } = await home.pond("status");

    expect(code).toBe(0);
    expect(stdout).toMatch(/^Store {5}~\/\.local\/share\/pond\/default\nHolds {5}5 sessions, 63 /);
    expect(stdout).toMatch(/\nCLIENT +SESSIONS +MESSAGES .*\nclaude-code +5 +63 /);
    expect(stdout).toContain("/home/ada/ledger");
    expect(stdout).toMatch(
      /ROWS +SIZE +INDEXES {2}TABLE\n +5 .* {2}sessions\n +63 .* {2}messages\n/,
    );
    expect(stdout).toMatch(/\nNothing needs doing\.\n$/);
  });

  it("reports the same in JSON", async () => {
    expect(await json("status")).toMatchObject({
      store_id: expect.any(String),
      namespace: "default",
      sessions: 5,
      messages: 63,
      by_agent: { "claude-code": { sessions: 5, messages: 63 } },
      embeddings: [],
      embedding: { enabled: false, reason: "no embedding model is configured" },
      advice: [],
    });
  });
});

describe("pond adapters", () => {
  it("lists the clients and the places where pond looks for them", async () => {
    const { stdout, stderr } = await home.pond("adapters");

    expect(stdout).toMatch(/^CLIENT +PLACE +SESSIONS +SIZE +STATE\nclaude-code +~\/\.claude /);
    expect(stdout).toMatch(/^phi-core +- +- +- +no place named$/m);
    expect(stderr).toContain("`paths` of [adapters.phi-core] in config.toml");
    const { adapters } = await json("adapters");
    const place = { exists: false, sessions: 0, bytes: 0, faults: 0 };
    expect(adapters.slice(0, 2)).toEqual([
      {
        name: "claude-code",
        enabled: true,
        places: [{ ...place, path: join(home.folder, ".claude") }],
      },
      { name: "codex", enabled: true, places: [{ ...place, path: join(home.folder, ".codex") }] },
    ]);
  });

  it("tells a place that cannot be looked at from one that is not there", async () => {
    const link = join(home.folder, ".claude");
    symlinkSync(".claude", link);

    const { stdout } = await home.pond("adapters");
    rmSync(link);

    expect(stdout).toMatch(/^claude-code +~\/\.claude +0 +0 B +1 fault: pond sync names them$/m);
    expect(stdout).toMatch(/^codex +~\/\.codex +- +- +not here$/m);
  });
});
