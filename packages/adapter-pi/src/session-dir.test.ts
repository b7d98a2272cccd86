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
  "tells that sessions lie below each working directory where the settings name %s",
  async (sessionDir) => {
    home.put("settings.json", JSON.stringify({ sessionDir }));

    expect(await faultsOf()).toEqual([
      `sessions are kept in ${sessionDir} below each working directory; those of projects that trust.json does not name are read with --path`,
    ]);
    expect(await faultsOf(fromOmp)).toEqual([]);
  },
);

it("tells so of a home that is found in the folder above", async () => {
  vi.stubEnv("PI_CODING_AGENT_SESSION_DIR", "");
  home.put(`agent/${project}/${logName("s1")}`, [header("s1")]);
  home.put("agent/settings.json", '{"sessionDir":"kept"}');

  expect((await readHome(fromPi(home.path))).faults).toEqual([expect.stringContaining("in kept")]);
});

it.each(["/kept", "file:///kept", "~/kept", "~", "", undefined, 1])(
  "tells nothing of a session folder %j, which is one place or none",
  async (sessionDir) => {
    home.put("settings.json", JSON.stringify({ sessionDir }));

    expect(await faultsOf()).toEqual([]);
  },
);

it("goes by the environment before the settings", async () => {
  home.put("settings.json", '{"sessionDir":"kept"}');
  home.put(`${project}/${logName("s1")}`, [header("s1")]);
  vi.stubEnv("PI_CODING_AGENT_SESSION_DIR", "/kept");

  expect((await readHome(fromPi(home.path))).faults).toEqual([]);
});

it("leaves the logs of a session folder to omp that omp has noted: both go by one variable", async () => {
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
