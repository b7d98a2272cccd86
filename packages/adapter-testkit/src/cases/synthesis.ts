import { fail } from "node:assert/strict";
import { type Message, type Part, partsOf, partToWire, stringifyJson } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import { type AdapterCase, type CompleteKit, fixturesOf, type Leaf } from "../kit.ts";
import { leavesOf } from "../leaves.ts";
import { readFiles } from "../read-files.ts";
import { SourceFacts } from "../source-facts.ts";

/** Canonical says nothing that its source does not say. */
export function synthesisCases(kit: CompleteKit): readonly AdapterCase[] {
  return fixturesOf(kit).map((fixture) => ({
    rule: "model-no-synthesis",
    name: `every leaf of canonical is found in ${fixture.name}`,
    run: async () => {
      const files = await fixture.load();
      const { contents } = await readFiles(kit, files);

      const facts = new SourceFacts(files, kit);

      for (const content of contents) {
        for (const claim of claimsOf(content)) {
          if (isFound(kit, facts, claim)) continue;
          const { where, path, value } = claim;
          fail(`${where}: ${path} is ${shown(value)}, which the source does not say`);
        }
      }
    },
  }));
}

type Claim = Leaf & {
  readonly where: string;
  readonly kind: "id" | "instant" | "value";
  readonly micros?: bigint;
};

function isFound(kit: CompleteKit, facts: SourceFacts, { kind, micros, ...leaf }: Claim): boolean {
  if (micros !== undefined && facts.holdsInstant(micros)) return true;
  if (kind === "id" && facts.explainsId(String(leaf.value))) return true;
  if (kind === "value" && (facts.holds(leaf.value) || isNote(leaf))) return true;
  if (leaf.path === "media_type" && isNamed(facts, String(leaf.value))) return true;
  return kit.isDerived({ path: leaf.path, value: leaf.value });
}

/**
 * A note that the seam lets a codec make about how it cut a record (`SourceOptions`): a keyword or
 * a position directly under `options.source`.
 */
function isNote({ path, value }: Leaf): boolean {
  if (!/^options\.source\.[^.]+$/.test(path)) return false;
  if (typeof value === "number") return Number.isInteger(value) && value >= 0 && value < 1_000_000;
  return typeof value === "string" && /^[a-z][a-z0-9_-]{0,30}$/.test(value);
}

/** A media type that says no more than the file's suffix, or whether it is text. */
function isNamed(facts: SourceFacts, mediaType: string): boolean {
  const isGeneric = mediaType === "application/octet-stream" || mediaType === "text/plain";
  return isGeneric || facts.explainsId(mediaType.replace(/^\w+\//, ""));
}

function* claimsOf({ session, messages }: SessionContent): Generator<Claim> {
  const where = `session ${session.id}`;
  for (const key of ["id", "parent_session_id", "parent_message_id"] as const) {
    const value = session[key];
    if (value !== undefined) yield { where, kind: "id", path: key, value };
  }
  yield instant(where, "created_at", session.created_at);
  yield { where, kind: "value", path: "project", value: session.project };
  yield* values(where, { options: session.options });
  for (const message of messages) yield* messageClaims(message);
}

function* messageClaims(message: Message): Generator<Claim> {
  const where = `message ${message.id} of session ${message.session_id}`;
  yield { where, kind: "id", path: "id", value: message.id };
  yield instant(where, "timestamp", message.timestamp);
  const content = message.role === "system" ? message.content : "";
  yield* values(where, { options: message.options, content });
  for (const part of partsOf(message)) yield* partClaims(part, `part ${part.id} of ${where}`);
}

function* partClaims(part: Part, where: string): Generator<Claim> {
  const { id, session_id, message_id, type, provenance, ...fields } = partToWire(part);
  yield { where, kind: "id", path: "id", value: id };
  yield* values(where, fields, (path) => path === "data.type");
}

function* values(
  where: string,
  root: Parameters<typeof leavesOf>[0],
  isKeyword: (path: string) => boolean = () => false,
): Generator<Claim> {
  for (const { path, value } of leavesOf(root)) {
    if (!isKeyword(path)) yield { where, kind: "value", path, value };
  }
}

function instant(where: string, path: string, micros: bigint): Claim {
  return { where, kind: "instant", path, value: String(micros), micros };
}

function shown(value: Leaf["value"]): string {
  const text = stringifyJson(value);
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}
