// Says ten things in a session that others write to at the same time; starts again from what is
// stored whenever another was first.
import { setImmediate } from "node:timers/promises";
import { PondError } from "@pond/canonical";
import { createRecorder } from "../../recorder.ts";
import { createFileStore } from "../index.ts";

const [folder = "", name = ""] = process.argv.slice(2);
const store = createFileStore(folder);
const said: string[] = [];
while (said.length < 10) {
  const recorder = createRecorder({ agent: "writer", project: "/work" });
  const text = `${name} ${said.length}`;
  try {
    const stored = await store.load("shared");
    if (stored) recorder.resume(stored);
    await recorder.run({ sessionId: "shared" }, async (loop) => {
      loop.say({ role: "user", content: text });
    });
    const content = recorder.content("shared");
    if (content) await store.save(content);
    said.push(text);
  } catch (error) {
    if (!PondError.is(error) || !["locked", "conflict"].includes(error.code)) throw error;
    await setImmediate();
  }
}
process.send?.({ said });
