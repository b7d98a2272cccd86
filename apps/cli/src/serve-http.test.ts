import { spawn } from "node:child_process";
import { once } from "node:events";
import type { StatusResponse } from "@pond/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Home, line } from "./testing.ts";
import { startOf } from "./testing-start.ts";

let home: Home;
beforeAll(async () => {
  home = new Home();
  home.writeSession("s1", line("s1", "m1", "the heron stood in the reeds"));
  expect((await home.pond("sync", "-q")).code).toBe(0);
});
afterAll(() => home.remove());

const env = { POND_EMBEDDINGS: "off" };

/** The status that a server tells which is started like that. */
async function statusOf(...argv: string[]): Promise<StatusResponse> {
  const child = spawn(
    process.execPath,
    [...startOf("main"), "serve", "--port", "0", "--json", ...argv],
    { cwd: home.folder, env: { ...home.env, ...env } },
  );
  try {
    const [said] = await once(child.stdout, "data");
    const response = await fetch(`${JSON.parse(String(said)).url}/v1/status`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"protocol_version":1}',
    });
    return (await response.json()) as StatusResponse;
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}

it("pond serve answers its operator with the same status as `pond status`", async () => {
  const { stdout } = await home.pondWith({ env }, "status", "--json");

  const status = await statusOf();

  // Beside the answer of the wire, and under one name, is what this machine alone knows.
  const { machine, ...wire } = JSON.parse(stdout);
  expect(status).toEqual(wire);
  expect(machine).toMatchObject({ clients: [{ name: "claude-code" }], advice: [] });
  expect(status.embedding).toEqual({ enabled: false, reason: "POND_EMBEDDINGS switches it off" });
});

it("pond serve tells nobody the location of its store with --allow-remote", async () => {
  const status = await statusOf("--allow-remote");

  expect(status).toMatchObject({ location: "", sessions: 1, embedding: { enabled: false } });
  expect(JSON.stringify({ ...status, by_project: {} })).not.toContain(home.folder);
});
