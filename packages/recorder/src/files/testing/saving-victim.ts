// Saves without a pause, to be killed while it does.
import { createRecorder } from "../../recorder.ts";
import { createFileStore } from "../index.ts";

const [folder = ""] = process.argv.slice(2);
const sink = createFileStore(folder);
const recorder = createRecorder({ agent: "victim", project: "/work", sink });
const stored = await sink.load("s1");
if (stored) recorder.resume(stored);
const loop = recorder.loop({ sessionId: "s1" });
for (let count = 0; ; count += 1) {
  loop.say({ role: "user", content: `${count} ${"x".repeat(10_000)}` });
  await recorder.checkpoint();
  if (count === 3) process.send?.("saving");
}
