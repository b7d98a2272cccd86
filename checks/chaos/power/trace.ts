import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Home } from "../../e2e/pond.ts";

/** An operation of a process on files, in the order in which the system completed them. */
export type Operation =
  | { readonly kind: "create"; readonly path: string; readonly isEmptied: boolean }
  | { readonly kind: "mkdir" | "remove" | "sync"; readonly path: string }
  | {
      readonly kind: "write";
      readonly path: string;
      readonly bytes: Buffer;
      /** If left out, after the bytes written before. */
      readonly at?: number;
    }
  | { readonly kind: "truncate"; readonly path: string; readonly size: number }
  | { readonly kind: "rename" | "link"; readonly path: string; readonly to: string }
  /** Something was printed. Everything that a report says is acknowledged. */
  | { readonly kind: "say" };

const calls =
  "openat,creat,write,pwrite64,writev,pwritev,pwritev2,ftruncate,copy_file_range,sendfile,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,fsync,fdatasync";

/** Why no process can be traced here; undefined if one can. */
export function noTracing(): string | undefined {
  const { status } = spawnSync("strace", ["-qq", "-o", "/dev/null", "true"]);
  return status === 0 ? undefined : "strace is not there, or may not trace";
}

/** Runs a command to its end and returns what it did to files. */
export async function traced(
  home: Home,
  args: readonly string[],
  log: string,
): Promise<Operation[]> {
  const [program, ...before] = home.command;
  const options = ["-f", "-y", "-xx", "-qq", "-s", "16777216", "-o", log, "-e", `trace=${calls}`];
  const child = spawn("strace", [...options, program, ...before, ...args], {
    env: home.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout.resume();
  const code = await exitOf(child);
  if (code !== 0) throw new Error(`strace pond ${args.join(" ")} ended with ${code}`);
  return operationsOf(readFileSync(log, "latin1"));
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", done);
  });
}

/** @throws {Error} for an unknown call, because a model that misses one would prove nothing. */
function operationsOf(log: string): Operation[] {
  const begun = new Map<string, string>();
  const operations: Operation[] = [];
  for (const line of log.split("\n")) {
    const [, thread = "", text = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (text.endsWith("<unfinished ...>")) {
      begun.set(thread, text.slice(0, -"<unfinished ...>".length).trimEnd());
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)?.[1];
    const call = resumed === undefined ? text : `${begun.get(thread) ?? ""}${resumed}`;
    const [, name = "", given = "", result = ""] = /^(\w+)\((.*)\) += (-?\d+)/.exec(call) ?? [];
    if (name === "" || result.startsWith("-")) continue;
    const operation = toOperation(name, given, Number(result));
    if (operation !== undefined) operations.push(operation);
  }
  return operations;
}

const hex = '"((?:\\\\x[0-9a-f]{2})*)"';
const opened = "(?:AT_FDCWD|\\d+)<([^>]*)>";

function toOperation(name: string, given: string, result: number): Operation | undefined {
  switch (name) {
    case "openat": {
      const [path, rest] = pathsIn(given);
      if (path === undefined || !/O_CREAT|O_TRUNC/.test(rest ?? given)) return undefined;
      return { kind: "create", path, isEmptied: given.includes("O_TRUNC") };
    }
    case "mkdir":
    case "mkdirat":
      return atPath("mkdir", given);
    case "unlink":
    case "unlinkat":
    case "rmdir":
      return atPath("remove", given);
    case "rename":
    case "renameat":
    case "renameat2":
      return between("rename", given);
    case "link":
    case "linkat":
      return between("link", given);
    case "fsync":
    case "fdatasync":
      return { kind: "sync", path: openedIn(given) };
    case "ftruncate":
      return { kind: "truncate", path: openedIn(given), size: Number(/, (\d+)$/.exec(given)?.[1]) };
    case "write":
    case "pwrite64":
    case "writev":
    case "pwritev":
    case "pwritev2":
      return writeIn(name, given, result);
    default:
      throw new Error(`the trace holds a call nobody thought of: ${name}`);
  }
}

function writeIn(name: string, given: string, result: number): Operation | undefined {
  if (/^1</.test(given)) return { kind: "say" };
  const path = openedIn(given);
  if (!path.startsWith("/")) return undefined;
  const bytes = Buffer.concat(
    [...given.matchAll(new RegExp(hex, "g"))].map(([, text]) => decode(text)),
  );
  const at = name.startsWith("p") ? Number(/, (\d+)(?:, \d+)?$/.exec(given)?.[1]) : undefined;
  return { kind: "write", path, bytes: bytes.subarray(0, result), ...(at !== undefined && { at }) };
}

function atPath(kind: "mkdir" | "remove", given: string): Operation | undefined {
  const [path] = pathsIn(given);
  return path === undefined ? undefined : { kind, path };
}

function between(kind: "rename" | "link", given: string): Operation | undefined {
  const [path, to] = pathsIn(given);
  return path === undefined || to === undefined ? undefined : { kind, path, to };
}

/** The paths that a call names, each below the folder named before it. */
function pathsIn(given: string): string[] {
  const named = [...given.matchAll(new RegExp(`(?:${opened}, )?${hex}`, "g"))];
  return named.map(([, below, path]) =>
    resolve("/", decode(below).toString(), decode(path).toString()),
  );
}

/** The path of an open file, by its number. */
function openedIn(given: string): string {
  const [, path] = new RegExp(`^${opened}`).exec(given) ?? [];
  return decode(path)
    .toString()
    .replace(/ ?\(deleted\)$/, "");
}

function decode(text: string = ""): Buffer {
  return Buffer.from(text.replaceAll("\\x", ""), "hex");
}
