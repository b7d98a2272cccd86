import { join } from "node:path";
import { findSessions } from "@pond/adapter-testkit";
import { afterEach, expect, it, vi } from "vitest";
import { fromOmp, fromPi } from "./from-pi.ts";
import { header, logName, project, readHome, TemporaryHome } from "./home.test-kit.ts";
import { stemOf } from "./layout.ts";

const home = new TemporaryHome();

afterEach(() => vi.unstubAllEnvs());

const faultsOf = async (from = fromPi) => {
  vi.stubEnv("PI_CODING_AGENT_SESSION_DIR", "");
  home.put(`${project}/${logName("s1")}`, [header("s1")]);
  return (await readHome(from(home.path))).faults;
};

it.each([".pi/sessions", "kept", "~kept"])(
  "reports that sessions lie below each working directory if the settings name %s",
  async (sessionDir) => {
    home.put("settings.json", JSON.stringify({ sessionDir }));

    expect(await faultsOf()).toEqual([
      `sessions are kept in ${sessionDir} below each working directory; those of projects that trust.json does not name are read with --path`,
    ]);
    expect(await faultsOf(fromOmp)).toEqual([]);
  },
);

it("reports a relative session folder even if the path given is the folder above the home", async () => {
  vi.stubEnv("PI_CODING_AGENT_SESSION_DIR", "");
  home.put(`agent/${project}/${logName("s1")}`, [header("s1")]);
  home.put("agent/settings.json", '{"sessionDir":"kept"}');

  expect((await readHome(fromPi(home.path))).faults).toEqual([expect.stringContaining("in kept")]);
});

it.each(["/kept", "file:///kept", "~/kept", "~", "", undefined, 1])(
  "reports nothing for the session folder %j, which is one place or none",
  async (sessionDir) => {
    home.put("settings.json", JSON.stringify({ sessionDir }));

    expect(await faultsOf()).toEqual([]);
  },
);

it("prefers the environment to the settings", async () => {
  home.put("settings.json", '{"sessionDir":"kept"}');
  home.put(`${project}/${logName("s1")}`, [header("s1")]);
  vi.stubEnv("PI_CODING_AGENT_SESSION_DIR", "/kept");

  expect((await readHome(fromPi(home.path))).faults).toEqual([]);
});

it("leaves logs in a shared session folder to omp if omp has noted them", async () => {
  vi.stubEnv("HOME", home.path);
  vi.stubEnv("PI_CODING_AGENT_SESSION_DIR", join(home.path, "kept"));
  home.put(`kept/${logName("mine")}`, [header("mine")]);
  const other = home.put(`kept/${logName("other")}`, [header("other")]);
  // Its sub-agents are omp's, too.
  home.put(`kept/${stemOf(logName("other"))}/Reader.jsonl`, [header("agent")]);
  home.put(".omp/agent/custom-session-files/1", other);

  const { sessions } = await findSessions(fromPi(join(home.path, "kept")));

  expect(sessions.map(({ key }) => key)).toEqual([`sessions/${logName("mine")}`]);
});
