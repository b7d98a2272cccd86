// A process of its own that stores descriptions of a thousand words and makes their index.
import { openStore } from "../store.ts";
import { catalogue, numbered } from "./catalogue.ts";

const [location = "", rows = "20"] = process.argv.slice(2);
const store = await openStore(location, { tables: catalogue, mode: "write" });
const batch = numbered(Number(rows));
const description = (batch["number"] ?? []).map((number) =>
  Array.from({ length: 1000 }, (_, index) => `${number}x${index}`).join(" "),
);
const table = store.table("parts");
await table.insert({ ...batch, description });
await table.fold({ isForced: true });
store.close();
