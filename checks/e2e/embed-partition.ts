// The work of one job of a distributed engine on one partition, in plain LanceDB and a model: the
// steps of docs/scale-out.md, as a separate process. It takes its share of the fragments of
// `messages`, embeds the messages that wait in them, and merges the vectors in.
import { connect, makeArrowTable } from "@lancedb/lancedb";
import { openEmbedder } from "@pond/embed";

const [storage = "", model = "", worker = "0", workers = "1"] = process.argv.slice(2);
const embedder = await openEmbedder({ kind: "folder", folder: model });
const storageOptions = JSON.parse(process.env["POND_STORAGE_OPTIONS"] ?? "{}");
const connection = await connect(storage, { storageOptions });
const messages = await connection.openTable(await datasetOf("messages"));

const literal = `'${embedder.modelId.replaceAll("'", "''")}'`;
const waiting = await messages
  .query()
  .where(`is_searchable = 1 AND (embedding_model IS NULL OR embedding_model != ${literal})`)
  .select(["session_id", "id", "search_text", "_rowaddr"])
  .toArray();
// The upper bits of a row's address are the number of its fragment.
const fragmentOf = (row: { _rowaddr: bigint }): bigint => BigInt(row._rowaddr) >> 32n;
const own = waiting.filter((row: { _rowaddr: bigint }) => {
  return fragmentOf(row) % BigInt(workers) === BigInt(worker);
});

const rows: Record<string, unknown>[] = [];
for (let from = 0; from < own.length; from += embedder.limits.maxTexts) {
  const some = own.slice(from, from + embedder.limits.maxTexts);
  const texts = some.map((row: { search_text: string }) => textOf(row.search_text));
  const vectors = await embedder.embed(texts, { kind: "passage" });
  for (const [at, { session_id, id }] of some.entries()) {
    const vector = [...(vectors[at] ?? [])];
    rows.push({ session_id, id, vector, embedding_model: embedder.modelId });
  }
}
// Only the four columns, no condition, no insert: everything else in a row stays as it is, and
// stays indexed.
const schema = (await messages.schema()).select(["session_id", "id", "vector", "embedding_model"]);
if (rows.length > 0) {
  await messages
    .mergeInsert(["session_id", "id"])
    .whenMatchedUpdateAll()
    .execute(makeArrowTable(rows, { schema }));
}
const fragments = [...new Set(own.map(fragmentOf))].map(Number);
console.log(JSON.stringify({ embedded: rows.length, fragments }));
await embedder.close();

/** In a bucket, the first version of a pointer names the dataset; a folder has no pointer. */
async function datasetOf(table: string): Promise<string> {
  if ((await connection.tableNames()).includes(table)) return table;
  const pointer = await connection.openTable(`${table}.pointer`);
  await pointer.checkout(1);
  const dataset = (await pointer.schema()).fields[0]?.metadata.get("pond:dataset");
  if (dataset === undefined) throw new Error(`${table}.pointer names no dataset`);
  return dataset;
}

/** Text after U+FFFF is only for the word index. */
function textOf(stored: string): string {
  const end = stored.lastIndexOf("\uffff");
  return end === -1 ? stored : stored.slice(0, end);
}
