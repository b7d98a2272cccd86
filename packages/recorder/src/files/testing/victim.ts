// An agent in the middle of a loop, to be killed.
import { createRecorder } from "../../recorder.ts";
import { createFileStore } from "../index.ts";

const [folder = ""] = process.argv.slice(2);
const sink = createFileStore(folder);
const recorder = createRecorder({ agent: "victim", project: "/work", sink });
const loop = recorder.loop({ sessionId: "s1" });
loop.startTurn();
loop.say({ role: "user", content: "Why?" });
loop.say({ role: "assistant", content: "Because." });
await recorder.checkpoint();
process.send?.("saved");
setInterval(() => {}, 1000);
