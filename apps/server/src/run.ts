import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isNamespace } from "@pond/server";
import { check } from "./check.ts";
import { type Config, ConfigError, readConfig } from "./config.ts";
import { secretsIn } from "./environment.ts";
import { createLog, withoutSecrets } from "./log.ts";
import { serve } from "./serve.ts";
import { onStopSignal } from "./stop-signal.ts";
import { openCaches } from "./storage.ts";
import { provision } from "./tenants.ts";
import { help } from "./variables-text.ts";

const failed = 1;
const badUsage = 2;

const secrets = secretsIn(process.env);

type Flags = {
  readonly help?: boolean;
  readonly version?: boolean;
  readonly check?: boolean;
  readonly provision?: readonly string[];
};

/** Does what the arguments say, and resolves to the exit code of the process. */
export async function run(args: readonly string[]): Promise<number> {
  const flags = flagsOf(args);
  if (flags === undefined) return badUsage;
  if (flags.help) return print(help());
  if (flags.version) return print(`${version()}\n`);
  const config = configOf();
  if (config === undefined) return badUsage;
  const { provision: names } = flags;
  if (flags.check) {
    if (names !== undefined)
      return refuse("--check and --provision do not go together: run one after the other");
    return attempt(() => check(config, (line) => print(`${line}\n`)));
  }
  return names === undefined ? serveUntilSignal(config) : provisionEach(names, config);
}

/** Makes nothing if one of them cannot be made. */
async function provisionEach(names: readonly string[], config: Config): Promise<number> {
  const { storage, storageOptions, policy } = config;
  for (const name of names) {
    if (!isNamespace(name))
      return refuse(
        `${JSON.stringify(name)} is not a name for a namespace: up to 64 of a-z, 0-9, - and _, a letter or digit first`,
      );
    if (policy.kind === "fixed" && !policy.names.includes(name)) {
      return refuse(`${name} is not in POND_NAMESPACES, so nobody could use it`);
    }
  }
  return attempt(async () => {
    const caches = openCaches(config);
    for (const name of names) {
      await provision({ storage, storageOptions, caches }, name);
      print(`${name}: ready\n`);
    }
  });
}

async function serveUntilSignal(config: Config): Promise<number> {
  const log = createLog(config.log, secrets, (line) => process.stderr.write(line));
  process.on("uncaughtException", (error) => {
    log.failure("the process failed", error);
    process.exit(failed);
  });
  const { promise: signalled, resolve: signal } = Promise.withResolvers<void>();
  return attempt(async () => {
    const { url, stop } = await serve(config, version(), log);
    onStopSignal(signal);
    log.info("listening", { url, pid: process.pid, version: version() });
    await signalled;
    await stop();
  });
}

function configOf(): Config | undefined {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { problems } = error;
    printError(`the environment is wrong\n${problems.map((each) => `  ${each}`).join("\n")}`);
    return undefined;
  }
}

function flagsOf(args: readonly string[]): Flags | undefined {
  const isFlag = { type: "boolean" } as const;
  const options = {
    ...{ help: isFlag, version: isFlag, check: isFlag },
    provision: { type: "string", multiple: true },
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    printError(`${error.message}\npond-server --help lists what there is`);
    return undefined;
  }
}

/** The messages of storage and models are for the operator, who reads this. */
async function attempt(work: () => Promise<void>): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    printError(error instanceof Error ? error.message : String(error));
    return failed;
  }
}

function refuse(message: string): number {
  printError(message);
  return badUsage;
}

function printError(message: string): void {
  process.stderr.write(withoutSecrets(`pond-server: ${message}\n`, secrets));
}

function print(text: string): number {
  process.stdout.write(withoutSecrets(text, secrets));
  return 0;
}

function version(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const { version: own }: { version?: unknown } = JSON.parse(text);
  return String(own);
}
