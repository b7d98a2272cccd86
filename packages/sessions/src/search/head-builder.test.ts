import type { MessageHeader } from "@pond/canonical";
import type { Row } from "@pond/substrate";
import fc from "fast-check";
import { expect, it } from "vitest";
import { partFromRow } from "../rows/from-rows.ts";
import { HeadBuilder } from "./head-builder.ts";
import { headOf, toHeadText } from "./message-head.ts";

const message: Row = { session_id: "s", id: "m", role: "user", timestamp: 5n, search_text: "x" };

function textPart(ordinal: number, text: string): Row {
  const place = { session_id: "s", message_id: "m", id: `p${ordinal}`, ordinal: BigInt(ordinal) };
  const said = { provenance: "conversational", type: "text", data: null };
  return { ...place, ...said, variant_data: JSON.stringify({ text }), options: '{"a":1}' };
}

function image(ordinal: number, data: Uint8Array): Row {
  const file = { media_type: "image/png", file_name: "reeds.png" };
  return {
    ...textPart(ordinal, ""),
    ...{ type: "file", variant_data: JSON.stringify(file), data },
  };
}

const content = fc.oneof(fc.string({ unit: "grapheme" }), fc.uint8Array({ maxLength: 50 }));

it("makes the head that an ingest makes, in whatever order the parts come", () => {
  fc.assert(
    fc.property(
      fc.array(content, { maxLength: 40 }),
      fc.infiniteStream(fc.nat()),
      (cells, keys) => {
        const rows = cells.map((cell, at) =>
          typeof cell === "string" ? textPart(at, cell) : image(at, cell),
        );
        const parts = rows.map((row) =>
          partFromRow({ ...row, options: "{}" }, row["data"] ?? null),
        );
        const heads = new HeadBuilder();
        const shuffled = rows.map((row) => ({ row, key: keys.next().value ?? 0 }));

        for (const { row } of shuffled.sort((a, b) => a.key - b.key)) heads.addPart(row);

        const header = { id: "m", role: "user", timestamp: 5n } as MessageHeader;
        expect(heads.of(message)).toBe(toHeadText(headOf("s", header, parts)));
      },
    ),
  );
});

it("gives each user message its own parts, and an assistant message none", () => {
  const heads = new HeadBuilder();
  heads.addPart(textPart(0, "one"));
  heads.addPart({ ...textPart(0, "two, of another session"), session_id: "t" });
  heads.addPart({ ...textPart(0, "three"), message_id: "n" });

  const bytesOf = (row: Row): unknown => JSON.parse(heads.of(row) ?? "")[4]?.[0]?.bytes;
  expect(bytesOf({ ...message, session_id: "t" })).toBeGreaterThan(Number(bytesOf(message)));
  expect(bytesOf({ ...message, id: "n" })).toBeGreaterThan(Number(bytesOf(message)));
  expect(heads.of({ ...message, role: "assistant" })).toBe('["s","m","assistant","5"]');
});

it("makes no head for a message that search does not find, or that has an unreadable part", () => {
  const heads = new HeadBuilder();
  heads.addPart({ ...textPart(0, ""), variant_data: '{"text":"' });

  expect(heads.of(message)).toBeNull();
  expect(heads.of({ ...message, id: "n", search_text: null })).toBeNull();
});

it("makes no head when the first part is missing or a part has an unknown type", () => {
  const ordinals = Array.from({ length: 33 }, (_, at) => at);
  const headOf = (rows: readonly Row[]): string | null => {
    const heads = new HeadBuilder();
    for (const row of rows) heads.addPart(row);
    return heads.of(message);
  };
  const rows = ordinals.map((ordinal) => textPart(ordinal, "x"));

  expect(headOf(rows)).not.toBeNull();
  expect(headOf(rows.slice(1))).toBeNull();
  expect(headOf([textPart(0, "x"), { ...textPart(1, "y"), type: "xtext" }])).toBeNull();
});
