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
    surroundings: { home, env: {} },
    ...(paths && { paths }),
  }).map(({ adapter, path }) => [adapter, path]);

describe("discoverSources", () => {
  it("finds a client's home, and nothing where the client is not installed", () => {
    const before = places();
    mkdirSync(join(home, ".claude"));

    expect([before, places()]).toEqual([[], [["claude-code", join(home, ".claude")]]]);
  });

  it("reads the asked-for places instead of the home, each once", () => {
    mkdirSync(join(home, ".claude"));
    mkdirSync(join(home, "copy"));
    symlinkSync(join(home, "copy"), join(home, "link"));

    const found = places({ "claude-code": [join(home, "copy"), join(home, "link")] });

    expect(found).toEqual([["claude-code", join(home, "copy")]]);
  });

  it("refuses an asked-for place that is not there", () => {
    expect(() => places({ "claude-code": [join(home, "nowhere")] })).toThrow(SourceNotFoundError);
  });

  it("reads what there is of configured places; one that is away is a fault of its own", async () => {
    mkdirSync(join(home, ".claude"));
    mkdirSync(join(home, "disk"));
    const away = join(home, "unplugged");

    const sources = discoverSources([claudeCode], {
      surroundings: { home, env: {} },
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
    ["its homes", { homes: broken }, () => "broken"],
    ["its homes, which are none", { homes: () => Object(undefined) }, () => "broken"],
    ["its reader", { from: broken }, (folder) => join(folder, ".claude")],
  ])("takes what an adapter throws for a fault of it alone: %s", async (_, own, place) => {
    mkdirSync(join(home, ".claude"));
    const odd = { ...claudeCode, origin: "broken", ...own };

    const sources = discoverSources([odd, claudeCode], { surroundings: { home, env: {} } });

    expect(sources.map(({ adapter, path }) => [adapter, path])).toEqual([
      ["broken", place(home)],
      ["claude-code", join(home, ".claude")],
    ]);
    const listed = await Array.fromAsync(sources[0]?.reader.sessions() ?? []);
    expect(listed).toMatchObject([{ kind: "fault", fault: { details: { adapter: "broken" } } }]);
  });

  it("is not misled by an adapter called like something every object has", () => {
    const odd = { ...claudeCode, origin: "constructor" };

    expect(discoverSources([odd], { surroundings: { home, env: {} }, paths: {} })).toEqual([]);
  });
});
