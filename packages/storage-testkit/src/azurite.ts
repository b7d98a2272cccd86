import { createHmac } from "node:crypto";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
import { installFromNpm } from "@pond/npm-testkit";
import { bucket, type TestStorage } from "./storage.ts";

const version = "3.37.0";
const program = join("azurite", "dist", "src", "blob", "main.js");

// The credentials of every Azure emulator, which Microsoft publishes.
const account = "devstoreaccount1";
const accountKey =
  "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/**
 * Starts Azurite, Microsoft's emulator of Azure Blob Storage, in memory. It is first installed from
 * npm into the cache. If it cannot run, says so and resolves to undefined.
 */
export async function startAzurite(): Promise<TestStorage | undefined> {
  const modules = await installFromNpm({
    name: `azurite-${version}-no-telemetry`,
    packages: [`azurite@${version}`],
    // Telemetry stays off. The package that would send it is never called, but is three quarters of
    // all files and takes most of a start to load. A small package that Azurite has anyway replaces
    // it.
    overrides: { applicationinsights: "npm:tslib@2.8.1" },
    program,
  });
  if (modules === undefined) return undefined;
  // A thread, which cannot outlive whoever started it.
  const worker = new Worker(join(modules, program), {
    argv: [
      ...["--inMemoryPersistence", "--skipApiVersionCheck", "--silent", "--disableTelemetry"],
      ...["--blobHost", "127.0.0.1", "--blobPort", "0"],
    ],
    stdout: true,
    stderr: true,
  });
  const endpoint = await openContainer(worker).catch(async (error: unknown) => {
    await worker.terminate();
    throw error;
  });
  return {
    url: (path) => `az://${bucket}/${path}`,
    endpoint,
    storageOptions: {
      account_name: account,
      account_key: accountKey,
      azure_endpoint: endpoint,
      allow_http: "true",
    },
    close: async () => {
      await worker.terminate();
    },
  };
}

/** Waits until it listens, and makes the container. */
async function openContainer(worker: Worker): Promise<string> {
  const endpoint = `${await addressOf(worker)}/${account}`;
  await createContainer(endpoint);
  return endpoint;
}

/** The address where it says that it listens. */
async function addressOf(worker: Worker): Promise<string> {
  const output: string[] = [];
  for await (const line of createInterface(worker.stdout)) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (address) {
      worker.stdout.resume();
      return address;
    }
    output.push(line);
  }
  throw new Error(`azurite did not start: ${output.join("\n")}`);
}

async function createContainer(endpoint: string): Promise<void> {
  const headers = { "x-ms-date": new Date().toUTCString(), "x-ms-version": "2021-12-02" };
  const toSign = [
    ...["PUT", "", "", "", "", "", "", "", "", "", "", ""],
    ...Object.entries(headers).map(([name, value]) => `${name}:${value}`),
    `/${account}/${account}/${bucket}`,
    "restype:container",
  ].join("\n");
  const key = Buffer.from(accountKey, "base64");
  const signature = createHmac("sha256", key).update(toSign).digest("base64");
  const response = await fetch(`${endpoint}/${bucket}?restype=container`, {
    method: "PUT",
    headers: { ...headers, authorization: `SharedKey ${account}:${signature}` },
  });
  if (!response.ok) throw new Error(`azurite: ${response.status} ${await response.text()}`);
}
