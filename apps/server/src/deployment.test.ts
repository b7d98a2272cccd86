import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { readConfig } from "./config.ts";
import { testFolder } from "./process.test-kit.ts";
import { variables } from "./variables.ts";
import { help, markdownTable } from "./variables-text.ts";

const app = new URL("..", import.meta.url).pathname;
const repository = new URL("../../..", import.meta.url).pathname;
const folder = testFolder();
afterAll(() => rmSync(folder, { recursive: true }));

const read = (name: string): string => readFileSync(join(app, name), "utf8");

const described = [
  "Dockerfile",
  "compose.yaml",
  "pond-server.service",
  "example.env",
  "README.md",
  "../../docs/hosting.md",
];

test.each(described)("%s names only variables that exist", (name) => {
  const named = [...read(name).matchAll(/\bPOND_[A-Z_]*[A-Z]/g)].map(([variable]) => variable);

  expect(named.filter((variable) => !Object.hasOwn(variables, variable))).toEqual([]);
});

test("the README contains the table of all variables", () => {
  expect(read("README.md")).toContain(markdownTable());
});

test("the help lists every variable", () => {
  const missing = Object.keys(variables).filter((name) => !help().includes(`  ${name}\n`));

  expect(missing).toEqual([]);
});

test.each([
  ["example.env", /^(\w+)=(.*)$/gm],
  ["compose.yaml", /^ {6}(\w+): "?(.*?)"?$/gm],
  ["pond-server.service", /(POND_\w+)=(\S+)/g],
])("%s sets only values that the server accepts", (name, line) => {
  const set = [...read(name).matchAll(line)].map(([, key = "", value = ""]) => [key, value]);

  expect(readConfig(Object.fromEntries(set))).toMatchObject({ storage: expect.any(String) });
});

test("every path copied into the image exists, and Dockerfile.dockerignore lets it through", () => {
  const ignore = read("Dockerfile.dockerignore").split("\n");
  const copied = [...read("Dockerfile").matchAll(/^COPY (?!--)(.*)$/gm)]
    .flatMap(([, paths = ""]) => paths.split(" ").slice(0, -1))
    .map((path) => path.replace(/^\.\//, ""));

  expect(copied).not.toEqual([]);
  expect(copied.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
  expect(copied.filter((path) => !ignore.includes(`!${path}`))).toEqual([]);
});

test("the image uses the workspace's pnpm, and starts the built program, as the systemd unit does", () => {
  const { packageManager } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
  const { bin } = JSON.parse(read("package.json"));

  expect(read("Dockerfile")).toContain(`install --global --no-fund --no-audit ${packageManager}\n`);
  const entry = /^ENTRYPOINT (.*)$/m.exec(read("Dockerfile"))?.[1] ?? "";
  expect(JSON.parse(entry)).toEqual(["node", join("/app", bin["pond-server"])]);
  expect(read("pond-server.service")).toContain(join("/opt/pond-server", bin["pond-server"]));
});

test.each([
  [200, 0],
  [503, 1],
])("when the server answers %s, the image's health check exits with %s", async (status, code) => {
  const server = createServer((_, response) => response.writeHead(status).end());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const command = /HEALTHCHECK.*? CMD (\[.*?\])$/ms.exec(read("Dockerfile"))?.[1] ?? "";
  const [program, ...args]: string[] = JSON.parse(command);

  const checking = spawn(process.execPath, args, { env: { POND_PORT: String(port) } });
  const [ended] = await once(checking, "close");

  expect(program).toBe("node");
  expect(ended).toBe(code);
  server.close();
});

test("compose.yaml is valid YAML, and its pond service waits for the bucket", () => {
  const { services } = parse(read("compose.yaml"), { merge: true });

  expect(Object.keys(services)).toEqual(["storage", "bucket", "pond"]);
  expect(services.pond.depends_on).toEqual({
    bucket: { condition: "service_completed_successfully" },
  });
  expect(services.pond.ports).toEqual(["127.0.0.1:9797:9797"]);
  expect(existsSync(join(app, services.pond.build.context, services.pond.build.dockerfile))).toBe(
    true,
  );
});

test("systemd-analyze finds no fault with the unit", ({ skip }) => {
  const { error } = spawnSync("systemd-analyze", ["--version"]);
  if (error !== undefined) skip("there is no systemd-analyze here");
  const unit = join(folder, "pond-server.service");
  writeFileSync(unit, read("pond-server.service").replace("/usr/bin/node", process.execPath));

  const { stdout, stderr } = spawnSync("systemd-analyze", ["verify", unit], { encoding: "utf8" });

  expect(stdout + stderr).toBe("");
});
