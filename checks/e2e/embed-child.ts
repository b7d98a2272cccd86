// A separate process that embeds a store with a local model, to be killed by a test. It stores
// vectors often, and notes the text of every message that it embeds before the vector can be
// stored. It prints "open" once the store is open, a line for each batch, and a report at the end.
import { appendFileSync } from "node:fs";
import { type Embedder, openEmbedder } from "@pond/embed";
import { openSessions } from "@pond/sessions";
import { embedMessages } from "@pond/sync";
import { isMessageText } from "./embed-store.ts";

const [storage = "", model = "", log = "", batch = "", inCommit = "", force] =
  process.argv.slice(2);
const textsInBatch = Number(batch);
const batchesInCommit = Number(inCommit);

const sessions = await openSessions(storage, { mode: "write" });
console.log("open");
const embedder = await openEmbedder({ kind: "folder", folder: model });
const noting: Embedder = {
  modelId: embedder.modelId,
  dimension: embedder.dimension,
  limits: { ...embedder.limits, maxTexts: textsInBatch },
  async embed(texts, options) {
    const vectors = await embedder.embed(texts, options);
    const noted = texts.filter(isMessageText);
    appendFileSync(log, noted.map((text) => `${text}\n`).join(""));
    return vectors;
  },
  close: () => embedder.close(),
};
const report = await embedMessages(sessions, noting, {
  now: () => new Date(),
  isForced: force === "force",
  onProgress: () => console.log("batch"),
  writeBack: { maxPendingBytes: textsInBatch * batchesInCommit * (embedder.dimension * 4 + 512) },
});
console.log(JSON.stringify(report));
await embedder.close();
sessions.close();
