// A process of its own that stores descriptions of some thousand words and makes their index. It prints
// which parts are found by words that many have, and how well each fits.
import { openStore } from "../store.ts";
import { catalogue, numbered } from "./catalogue.ts";

const [location = "", rows = "20"] = process.argv.slice(2);
const store = await openStore(location, { tables: catalogue, mode: "write" });
const table = store.table("parts");
const batch = numbered(Number(rows));
const description = (batch["number"] ?? []).map((number, row) =>
  Array.from({ length: 1000 }, (_, at) => `${number}x${at} w${(at * row) % 13}`).join(" "),
);
await table.insert({ ...batch, description });
await table.fold({ isForced: true });
const query = { terms: "w3 w5 n4x1" };
const search = { column: "description", columns: ["number"], limit: Number(rows) };
const found = await table.fullText({ ...search, query });
// Many fit as well as others, in any order.
console.log(JSON.stringify(found.map(({ number, _score }) => `${number} ${_score}`).sort()));
store.close();
