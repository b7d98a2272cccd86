import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Adapter } from "@pond/canonical/adapter";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { discoverSources } from "./discover.ts";
import { SourceNotFoundError } from "./errors.ts";
import { claudeCode } from "./sync.test-kit.ts";

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "pond-home-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const places = (paths?: Record<string, string[]>): string[][] =>
  discoverSources([claudeCode], {
    environment: { home, env: {} },
    ...(paths && { paths }),
  }).map(({ adapter, path }) => [adapter, path]);

describe("discoverSources", () => {
  it("finds a client's home, and nothing if the client is not installed", () => {
    const before = places();
    mkdirSync(join(home, ".claude"));

    expect([before, places()]).toEqual([[], [["claude-code", join(home, ".claude")]]]);
  });

  it("takes the requested places instead of the home, each once", () => {
    mkdirSync(join(home, ".claude"));
    mkdirSync(join(home, "copy"));
    symlinkSync(join(home, "copy"), join(home, "link"));

    const found = places({ "claude-code": [join(home, "copy"), join(home, "link")] });

    expect(found).toEqual([["claude-code", join(home, "copy")]]);
  });

  it("refuses a requested place that does not exist", () => {
    expect(() => places({ "claude-code": [join(home, "nowhere")] })).toThrow(SourceNotFoundError);
  });

  it.each([
    ["a pipe", (place: string) => execFileSync("mkfifo", [place])],
    ["a device", (place: string) => symlinkSync("/dev/zero", place)],
  ])("refuses %s as a requested place, and takes none for a home", (_, make) => {
    make(join(home, "endless"));
    make(join(home, ".claude"));

    expect(() => places({ "claude-code": [join(home, "endless")] })).toThrow(SourceNotFoundError);
    expect(places()).toEqual([]);
  });

  it.each([
    ["a home", () => ({})],
    [
      "a configured place",
      (claude: string) => ({ configured: { "claude-code": [claude, claude] } }),
    ],
  ])("reports %s that cannot be looked at, once", async (_, optionsFor) => {
    const claude = join(home, ".claude");
    // As on a disk that does not answer, the system does not say that nothing is there.
    symlinkSync(".claude", claude);

    const sources = discoverSources([claudeCode], {
      environment: { home, env: {} },
      ...optionsFor(claude),
    });

    const listed = await Promise.all(
      sources.map(({ reader }) => Array.fromAsync(reader.sessions())),
    );
    expect(sources.map(({ path }) => path)).toEqual([claude]);
    expect(listed).toEqual([
      [
        expect.objectContaining({
          fault: expect.objectContaining({
            message: `claude-code: ${claude}:file: cannot be read (ELOOP)`,
          }),
        }),
      ],
    ]);
  });

  it("takes all configured places, and reports a place that is away as a fault of its own", async () => {
    mkdirSync(join(home, ".claude"));
    mkdirSync(join(home, "disk"));
    const away = join(home, "unplugged");

    const sources = discoverSources([claudeCode], {
      environment: { home, env: {} },
      configured: { "claude-code": [join(home, "disk"), away] },
    });

    expect(sources.map(({ path }) => path)).toEqual([join(home, "disk"), away]);
    const listed = await Promise.all(
      sources.map(({ reader }) => Array.fromAsync(reader.sessions())),
    );
    expect(listed).toEqual([
      [],
      [
        expect.objectContaining({
          kind: "fault",
          fault: expect.objectContaining({ code: "source_fault" }),
        }),
      ],
    ]);
  });

  const broken = (): never => {
    throw new Error("a defect");
  };

  it.each<[string, Partial<Adapter>, (home: string) => string]>([
    ["its homes throw", { homes: broken }, () => "broken"],
    ["its homes are undefined", { homes: () => Object(undefined) }, () => "broken"],
    ["its reader cannot be made", { from: broken }, (folder) => join(folder, ".claude")],
  ])("reports an adapter's error as a fault of that adapter alone: %s", async (_, own, place) => {
    mkdirSync(join(home, ".claude"));
    const odd = { ...claudeCode, origin: "broken", ...own };

    const sources = discoverSources([odd, claudeCode], { environment: { home, env: {} } });

    expect(sources.map(({ adapter, path }) => [adapter, path])).toEqual([
      ["broken", place(home)],
      ["claude-code", join(home, ".claude")],
    ]);
    const listed = await Array.fromAsync(sources[0]?.reader.sessions() ?? []);
    expect(listed).toMatchObject([{ kind: "fault", fault: { details: { adapter: "broken" } } }]);
  });

  it("takes no inherited property for the requested paths of an adapter named `constructor`", () => {
    const odd = { ...claudeCode, origin: "constructor" };

    expect(discoverSources([odd], { environment: { home, env: {} }, paths: {} })).toEqual([]);
  });
});
