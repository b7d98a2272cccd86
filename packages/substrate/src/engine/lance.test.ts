import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { onFolders, temporaryFolder } from "../testing/store.ts";

const it = onFolders("how the engine is set up is the same there");

it.each(["0", "1", "01", "2"])(
  "writes when the environment sets %s threads for the engine's reads",
  async (threads) => {
    const writer = fileURLToPath(new URL("../testing/writer.ts", import.meta.url));
    const child = spawn(process.execPath, [writer, temporaryFolder(), "parts", "2"], {
      env: { ...process.env, LANCE_IO_THREADS: threads },
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stdin.end("\n");

    const [said] = await Promise.all([text(child.stdout), once(child, "close")]);

    expect(said.trim().split("\n").slice(1)).toEqual(["0", "1"]);
  },
);

// A scanner of secrets need not read it as one.
const pem = (what: string, lines: string): string =>
  [`-----BEGIN ${what}-----`, lines, `-----END ${what}-----`].join("\n");

// Of nobody, and for this test alone.
const selfSigned = {
  key: pem(
    "PRIVATE KEY",
    `MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgaiicVPZwICUwCPIQ
9MNbI+VmDxPedFBk8d1PWem4X/ChRANCAAR86bIRH/Pjjjgw75AAXG9E/vHQtGys
AphbGc1RzRFLwIBBikOtOlPAspsMHA/7af3/ccUxifC2o3QEWoZnwUhG`,
  ),
  cert: pem(
    "CERTIFICATE",
    `MIIBlDCCATugAwIBAgIUAorhWZYAsaqT/rf9iB680eug4oMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEzMDAzMjYxOFoYDzIxMjYxMTA2
MDMyNjE4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAR86bIRH/Pjjjgw75AAXG9E/vHQtGysAphbGc1RzRFLwIBBikOtOlPA
spsMHA/7af3/ccUxifC2o3QEWoZnwUhGo2kwZzAdBgNVHQ4EFgQUUdh4yiok4dvN
vswaVkQVzc1Iak4wHwYDVR0jBBgwFoAUUdh4yiok4dvNvswaVkQVzc1Iak4wDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
RwAwRAIgW7ZbmKl7ZzY2g2r88D+gddZ/NtP7LkPTuvdGDp/3dAMCIE5wws+GPJH5
+YQ4TDQpr5Z+OH0qHbDgRbctCct8oOL0`,
  ),
};

it("says once that a certificate is not trusted, and the engine says nothing besides", async () => {
  const server = createServer(selfSigned, (_, response) => response.end());
  await once(server.listen(0, "localhost"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const options = { aws_endpoint: `https://localhost:${port}`, aws_region: "us-east-1" };
  const keys = { aws_access_key_id: "key", aws_secret_access_key: "secret-key" };
  const writer = fileURLToPath(new URL("../testing/writer.ts", import.meta.url));
  const child = spawn(process.execPath, [writer, "s3://pond/store"], {
    env: { ...process.env, POND_TEST_STORAGE_OPTIONS: JSON.stringify({ ...options, ...keys }) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));

  const [said] = await Promise.all([text(child.stderr), once(child, "close")]);

  expect(said).toContain("s3://pond/store: its certificate is not trusted (");
  expect(said).not.toContain("ERROR");
});

/** A process that knows of these settings makes the index of 20,000 words, and searches it. */
async function indexed(settings: NodeJS.ProcessEnv): Promise<{ parts: number; found: string }> {
  const writer = fileURLToPath(new URL("../testing/index-writer.ts", import.meta.url));
  const folder = temporaryFolder();
  const child = spawn(process.execPath, [writer, folder], {
    env: { ...process.env, LANCE_FTS_NUM_SHARDS: "1", ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [found] = await Promise.all([text(child.stdout), once(child, "close")]);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return { parts: files.filter((file) => /part_\d+_tokens\.lance$/.test(file)).length, found };
}

it("makes a text index in parts to bound its memory, and finds the same rows", async () => {
  const whole = await indexed({});
  const inParts = await indexed({ LANCE_FTS_PARTITION_SIZE: "1" });

  expect(whole.parts).toBe(1);
  expect(inParts.parts).toBeGreaterThan(1);
  // Two of the twenty have neither word.
  expect(JSON.parse(inParts.found).length).toBe(18);
  expect(inParts.found).toBe(whole.found);
});
