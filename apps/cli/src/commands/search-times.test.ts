import { afterAll, beforeAll, expect, it } from "vitest";
import { Home, line } from "../testing.ts";

// Both of one millisecond.
const [early, late] = ["2026-03-01T10:00:00.123400Z", "2026-03-01T10:00:00.123900Z"];

let home: Home;
beforeAll(async () => {
  home = new Home();
  home.writeSession("s1", line("s1", "early", "walrus early", { timestamp: early }));
  home.writeSession("s2", line("s2", "late", "walrus late", { timestamp: late }));
  await home.pond("sync", "claude-code");
});
afterAll(() => home.remove());

it.each([
  [
    ["--since", early],
    ["s1", "s2"],
  ],
  [["--since", late], ["s2"]],
  [["--until", late], ["s1"]],
  [["--until", early], []],
  [["--since", early, "--until", late], ["s1"]],
  [["--since", "2026-03-01T10:00:00.1235Z", "--until", "2026-03-01T10:00:00.1239Z"], []],
])("pond search %j compares the time of a match to the microsecond", async (flags, expected) => {
  const { code, stdout } = await home.pond("search", "walrus", ...flags, "--json");

  const { sessions } = JSON.parse(stdout);
  const found = sessions.map(({ session_id: id }: { readonly session_id: string }) => id);
  expect([code, found.sort()]).toEqual([0, expected]);
});
