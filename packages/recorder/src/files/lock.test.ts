import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { contentOf, testRecorder, textsOf, user } from "../testing.ts";
import { createFileStore } from "./file-store.ts";
import { type LockOutcome, tryLock } from "./lock.ts";
import { startOf } from "./process.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-recorder-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const lockFile = () => join(folder, "s1.json.lock");
const me = { host: hostname(), pid: process.pid };

function child(file: string, ...args: string[]) {
  const execArgv = ["--conditions=@pond/source"];
  return fork(new URL(`./testing/${file}`, import.meta.url), args, { execArgv });
}

async function deadPid(): Promise<number> {
  const process = child("nothing.ts");
  await once(process, "exit");
  return process.pid ?? 0;
}

const release = async (outcome: LockOutcome) => "release" in outcome && outcome.release();

test("a lock belongs to one holder until it is released", async () => {
  const first = await tryLock(lockFile());
  const second = await tryLock(lockFile());
  await release(first);
  const third = await tryLock(lockFile());

  expect(second).toMatchObject({ holder: me });
  expect(third).toHaveProperty("release");
  await release(third);
  expect(readdirSync(folder)).toEqual([]);
});

test("a writer that finds the session locked is told who holds the lock", async () => {
  const recorder = testRecorder();
  recorder.loop();
  const lock = await tryLock(lockFile());

  const store = createFileStore(folder);
  await expect(store.save(contentOf(recorder))).rejects.toMatchObject({
    code: "locked",
    details: { session_id: "s1", holder: me },
  });
  await release(lock);
  await store.save(contentOf(recorder));
  const again = await tryLock(lockFile());
  await expect(store.delete("s1")).rejects.toMatchObject({ code: "locked" });
  expect(await store.load("s1")).toEqual(contentOf(recorder));
  await release(again);
});

test("the lock of a dead process is taken over", async () => {
  const holder = { host: hostname(), pid: await deadPid(), nonce: "x" };
  writeFileSync(lockFile(), JSON.stringify(holder));

  const lock = await tryLock(lockFile());

  expect(lock).toHaveProperty("release");
  await release(lock);
  expect(readdirSync(folder)).toEqual([]);
});

test.runIf(startOf(process.pid) !== undefined)(
  "the lock of a dead process is taken over even if another has its process id now",
  async () => {
    writeFileSync(lockFile(), JSON.stringify({ ...me, start: "1", nonce: "x" }));

    expect(await tryLock(lockFile())).toHaveProperty("release");
  },
);

test.runIf(startOf(process.pid) !== undefined)(
  "the lock of a zombie process is taken over",
  async () => {
    // `sleep` never asks; the child of its shell ends when its input does.
    const parent = spawn("sh", ["-c", "cat <&3 & echo $!; exec sleep 60 3<&-"], {
      stdio: ["ignore", "pipe", "ignore", "pipe"],
    });
    const [line] = await once(parent.stdout ?? parent, "data");
    const pid = Number(line);
    const proc = (of: unknown, file: string) => readFileSync(`/proc/${of}/${file}`, "utf8");
    const start = startOf(pid);
    while (proc(parent.pid, "comm") !== "sleep\n") await setTimeout(1);
    parent.stdio[3]?.destroy();
    while (!proc(pid, "stat").includes(") Z ")) await setTimeout(1);
    writeFileSync(lockFile(), JSON.stringify({ ...me, pid, start, nonce: "x" }));

    const lock = await tryLock(lockFile());
    parent.kill();

    expect(lock).toHaveProperty("release");
  },
);

test.each([
  ["held by another machine", JSON.stringify({ host: "elsewhere", pid: 1, nonce: "x" })],
  ["unreadable", "?"],
])("a lock that is %s stays", async (_, text) => {
  writeFileSync(lockFile(), text);

  expect(await tryLock(lockFile())).toHaveProperty("holder");
  expect(readFileSync(lockFile(), "utf8")).toBe(text);
});

test("only one of many that find a dead lock gets it", async () => {
  const pid = await deadPid();
  for (let round = 0; round < 30; round += 1) {
    writeFileSync(join(folder, "dead"), JSON.stringify({ host: hostname(), pid, nonce: round }));
    linkSync(join(folder, "dead"), lockFile());
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => tryLock(lockFile())));

    const taken = outcomes.filter((outcome) => "release" in outcome);
    expect(taken).toHaveLength(1);
    for (const outcome of taken) await release(outcome);
    rmSync(join(folder, "dead"));
    rmSync(lockFile(), { force: true });
  }
});

test("processes that write one session at once lose nothing and leave a whole file", async () => {
  const writers = Array.from({ length: 3 }, (_, index) => child("writer.ts", folder, `w${index}`));
  const reports = await Promise.all(writers.map(async (each) => (await once(each, "message"))[0]));

  const content = await createFileStore(folder).load("shared");
  const texts = textsOf(content?.messages ?? []).map((text) => text.slice("user: ".length));
  expect(texts.sort()).toEqual(reports.flatMap(({ said }) => said).sort());
  expect(readdirSync(folder)).toEqual(["shared.json"]);
});

test("saved messages survive a process that is killed between two events", async () => {
  const victim = child("victim.ts", folder);
  await once(victim, "message");
  victim.kill("SIGKILL");
  await once(victim, "exit");

  const content = await createFileStore(folder).load("s1");
  const recorder = testRecorder({ sink: createFileStore(folder) });
  const record = content && recorder.resume(content);
  expect(record?.loops.map(({ status }) => status)).toEqual(["Running"]);
  expect(textsOf(content?.messages ?? []).slice(0, 2)).toEqual([
    "user: Why?",
    "assistant: Because.",
  ]);

  const loop = recorder.attach(record?.loops[0]?.loop_id ?? "");
  loop.say(user("And?"));
  loop.end();
  await recorder.flush();
  expect(textsOf((await createFileStore(folder).load("s1"))?.messages ?? []).at(-1)).toBe(
    "user: And?",
  );
});

test("a process that is killed while saving leaves a whole session and no lasting lock", async () => {
  for (let round = 0; round < 5; round += 1) {
    const victim = child("saving-victim.ts", folder);
    await once(victim, "message");
    victim.kill("SIGKILL");
    await once(victim, "exit");

    const store = createFileStore(folder);
    const content = await store.load("s1");
    const recorder = testRecorder({ sink: store });
    if (content) recorder.resume(content);
    recorder.loop().end();
    await recorder.checkpoint();
    expect((await store.load("s1"))?.messages).toEqual(contentOf(recorder).messages);
  }
});
