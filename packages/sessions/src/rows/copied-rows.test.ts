import { isJsonObject, type JsonObject, parseJson } from "@pond/canonical";
import type { Row } from "@pond/substrate";
import { expect, it } from "vitest";
import { ingestDemo, said, withStore } from "../testing.ts";
import { renamedRow } from "./copied-rows.ts";

const nameOf = (id: string): string => `demo:${id}`;

/** What carriers of a changed session hold: of a message, and of the session itself. */
function carriers(): Promise<readonly Row[]> {
  return withStore(async (sessions) => {
    const before = { id: "s", parent: "above", messages: [said("a")] };
    await ingestDemo(sessions, [before]);
    const after = { ...before, seconds: 5, messages: [{ ...said("a", "changed"), seconds: 0 }] };
    await ingestDemo(sessions, [after]);
    const messages = sessions.store.table("messages");
    const rows = await messages.rows({ columns: Object.keys(messages.declaration.columns) });
    return rows.filter(({ revises }) => revises !== null);
  });
}

function heldIn(row: Row): JsonObject {
  const { pond } = parseJson(String(row["options"])) as JsonObject;
  if (!isJsonObject(pond)) throw new TypeError("a carrier says what it holds");
  return pond;
}

it("renames the session in all that carriers hold", async () => {
  const renamed = (await carriers()).map((row) => renamedRow("messages", row, nameOf));

  expect(renamed.map((row) => row["session_id"])).toEqual(["demo:s", "demo:s"]);
  const held = renamed.map(heldIn);
  expect(held.find(({ message }) => message !== undefined)).toMatchObject({
    message: { session_id: "demo:s", content: [{ session_id: "demo:s", text: "changed" }] },
  });
  expect(held.find(({ session }) => session !== undefined)).toMatchObject({
    session: { id: "demo:s", parent_session_id: "demo:above" },
  });
});

it("gives a carrier of the session the digest of what it holds then", async () => {
  const found = (await carriers()).find((row) => heldIn(row)["session"] !== undefined);
  if (found === undefined) throw new TypeError("the session has changed");

  const renamed = renamedRow("messages", found, nameOf);

  expect(renamed["digest"]).not.toBe(found["digest"]);
  expect(heldIn(renamed)["digest"]).toBe(renamed["digest"]);
});

it("leaves the rest of a row as it is", async () => {
  const own: Row = { session_id: "s", id: "a", revises: null, options: '{"pond":1}' };
  expect(renamedRow("messages", own, nameOf)).toEqual({ ...own, session_id: "demo:s" });
});
