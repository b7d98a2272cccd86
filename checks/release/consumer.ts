import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { startRegistry } from "./registry.ts";
import { type Packed, pnpm } from "./stage.ts";

/** A user's project, empty except for the packages installed into it. */
export type Consumer = {
  readonly folder: string;
  /** Writes a file of the project. */
  write(path: string, text: string): void;
  /** Runs a program in the project. Returns output and errors as text, even if it fails. */
  run(program: string, args: readonly string[], options?: RunOptions): Promise<string>;
  remove(): void;
};

type RunOptions = {
  /** Path below the project. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
};

export type PackageManager = "npm" | "pnpm";

/** Packages to install: ours by name, others with a version. None of their scripts is run. */
export async function createConsumer(
  manager: PackageManager,
  names: readonly string[],
  packed: readonly Packed[],
): Promise<Consumer> {
  const folder = mkdtempSync(join(tmpdir(), "pond-consumer-"));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const run: Consumer["run"] = (program, args, { cwd = ".", env = {} } = {}) =>
    promisify(execFile)(program, args, {
      cwd: join(folder, cwd),
      env: { ...plainEnvironment(), ...env },
      maxBuffer: 64 * 1024 * 1024,
    }).then(
      ({ stdout, stderr }) => stdout + stderr,
      (error) => `${error.stdout}${error.stderr}${error.message.split("\n")[0]}`,
    );
  const remove = (): void => rmSync(folder, { recursive: true, force: true });

  const registry = await startRegistry(packed);
  try {
    write("package.json", '{ "private": true, "type": "module" }\n');
    write(".npmrc", `@pond:registry=${registry.url}\n`);
    const flags = ["--prefer-offline", "--ignore-scripts"];
    if (manager === "pnpm") await pnpm(["add", ...flags, ...names], folder);
    else {
      const quiet = ["--no-audit", "--no-fund", "--no-package-lock"];
      await promisify(execFile)("npm", ["install", ...flags, ...quiet, ...names], { cwd: folder });
    }
    return { folder, write, run, remove };
  } catch (error) {
    remove();
    throw error;
  } finally {
    registry.close();
  }
}

/** The environment without variables that tell pond, its tests or this Node how to behave. */
function plainEnvironment(): Readonly<Record<string, string | undefined>> {
  const entries = Object.entries(process.env);
  return Object.fromEntries(entries.filter(([name]) => !/^(POND|XDG|NODE|VITEST)_/.test(name)));
}

/** A program that imports every entry point and prints how many names each has. */
export function importsOf(packed: readonly Packed[]): string {
  const paths = packed.flatMap(({ manifest }) =>
    Object.keys(manifest.exports ?? {}).map((path) => manifest.name + path.slice(1)),
  );
  const lines = paths.map((path, index) => {
    const kind = path.endsWith(".json") ? ' with { type: "json" }' : "";
    return [
      `import * as module${index} from "${path}"${kind};`,
      `console.log("${path}", Object.keys(module${index}).length > 0);`,
    ];
  });
  return `${lines.flat().join("\n")}\n`;
}

/** The options of a compiler, besides strictness with everything it sees. */
export type CompilerOptions = Readonly<Record<string, string | boolean | readonly string[]>>;

/** Compiles files of a consumer. Returns the compiler's complaints, "" if there are none. */
export function compile(
  consumer: Consumer,
  compiler: string,
  files: readonly string[],
  options: CompilerOptions,
): Promise<string> {
  const compilerOptions = {
    ...{ strict: true, skipLibCheck: false, noEmit: true },
    ...{ target: "es2022", resolveJsonModule: true, types: ["node"] },
    ...options,
  };
  consumer.write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
  return consumer.run(process.execPath, [compiler, "--pretty", "false"]);
}
