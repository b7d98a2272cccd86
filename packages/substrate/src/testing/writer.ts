// A process of its own that writes to a store. It prints the store's id and waits for a line, then
// prints the number of each batch once that batch is durable.
import { once } from "node:events";
import { openStore } from "../store.ts";
import { catalogue, numbered } from "./catalogue.ts";

const [location = "", table = "parts", batches = "20", rows = "50"] = process.argv.slice(2);
const storageOptions = JSON.parse(process.env["POND_TEST_STORAGE_OPTIONS"] ?? "{}");
const store = await openStore(location, { tables: catalogue, mode: "write", storageOptions });
console.log(store.id);
await once(process.stdin, "data");
for (let batch = 0; batch < Number(batches); batch++) {
  const {
    maker = [],
    number = [],
    description = [],
  } = numbered(Number(rows), "acme", batch * Number(rows));
  if (table === "prices")
    await store.table(table).replace({ maker: number, total: number.map(() => batch) });
  else await store.table(table).insert({ maker, number, description });
  await store.flush();
  console.log(batch);
}
store.close();
process.stdin.destroy();
