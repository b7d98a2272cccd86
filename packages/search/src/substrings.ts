import type { SessionStore } from "@pond/sessions";
import { and, containsInAnyCase, type Filter, or, type Row, type Table } from "@pond/substrate";
import { toBoundsCheck } from "./bounds.ts";
import type { Hits } from "./collect-hits.ts";
import { phraseOrWords } from "./full-text.ts";
import { exactness, type LiteralHit, literalHits, otherCaseShare } from "./literal-hits.ts";
import { messageColumns, rowOf, textOf } from "./message.ts";
import { hasBounds, type ParsedQuery } from "./query.ts";
import { innerWords, matchesOnlyWhole } from "./words.ts";

export const literalDepth = 40;
const scanDepth = 400;

/**
 * For each of these texts, the messages that hold it, in any case and even inside words. This reads
 * every text in scope, once for all of them, except for texts whose inner words few messages have.
 */
export async function substringArm(
  sessions: SessionStore,
  query: ParsedQuery,
  texts: readonly string[],
  where: Filter | undefined,
): Promise<Hits<LiteralHit>[]> {
  const messages = sessions.store.table("messages");
  const byWords = await Promise.all(texts.map((text) => byInnerWords(messages, text, where)));
  const needsOwnScan = (text: string): boolean => hasBounds(query) || matchesOnlyWhole(text);
  const others = texts.filter((text, at) => byWords[at] === undefined && !needsOwnScan(text));
  const together = await scanTogether(messages, others, where);
  return Promise.all(
    texts.map((text, at) => {
      const rows = byWords[at] ?? (needsOwnScan(text) ? undefined : together);
      // No limit: of many rows, the first ones may all fail a condition that a scan cannot check.
      const limit = needsOwnScan(text) ? undefined : scanDepth;
      const batches = rows ? [rows.filter((row) => matchesScan(row, text))] : undefined;
      return hitsAmong(sessions, query, text, batches ?? scan(messages, [text], where, limit));
    }),
  );
}

async function hitsAmong(
  sessions: SessionStore,
  query: ParsedQuery,
  text: string,
  batches: AsyncIterable<Row[]> | Iterable<Row[]>,
): Promise<Hits<LiteralHit>> {
  const meetsBounds = toBoundsCheck(query);
  const found: LiteralHit[] = [];
  for await (const rows of batches) {
    const within = rows.filter(
      (row) =>
        meetsBounds(textOf(row)) &&
        (!matchesOnlyWhole(text) || exactness(textOf(row), text) >= otherCaseShare),
    );
    found.push(...(await literalHits(sessions, within, text)));
    if (found.length >= scanDepth) break;
  }
  const hits = found.toSorted(byShare).slice(0, literalDepth);
  return { hits, isCut: found.length > literalDepth };
}

// Reading more rows by the index takes longer than reading all.
const innerDepth = 100;

/**
 * Rows that include all that hold a text, found by the words inside it. Undefined if the text has
 * no inner words, if too many rows have them, or if the index is missing.
 */
async function byInnerWords(
  messages: Table,
  text: string,
  where: Filter | undefined,
): Promise<Row[] | undefined> {
  const words = innerWords(text);
  if (words.length === 0 || !(await messages.knowsPhrases("search_text"))) return undefined;
  const search = { column: "search_text", query: phraseOrWords(words.join(" ")) };
  const asked = { where, limit: innerDepth, columns: messageColumns };
  const rows = await messages.fullText({ ...search, ...asked });
  if (rows.length >= innerDepth) return undefined;
  // The score is that of a few words of the text, so the rows come in the order of a scan instead.
  const inOrder = rows.toSorted((left, right) => Number(rowOf(left) - rowOf(right)));
  return inOrder.map(({ _score, ...row }) => row);
}

/** Rows that include all that hold one of several texts; undefined if there are too many. */
async function scanTogether(
  messages: Table,
  texts: readonly string[],
  where: Filter | undefined,
): Promise<Row[] | undefined> {
  if (texts.length < 2) return undefined;
  const rows = (await Array.fromAsync(scan(messages, texts, where, scanDepth))).flat();
  return rows.length < scanDepth ? rows : undefined;
}

function scan(
  messages: Table,
  texts: readonly string[],
  where: Filter | undefined,
  limit: number | undefined,
): AsyncGenerator<Row[]> {
  const forms = new Set(texts.flatMap(formsOf));
  const holdsForm = or(...[...forms].map((form) => containsInAnyCase("search_text", form)));
  return messages.scan({
    columns: messageColumns,
    where: where ? and(where, holdsForm) : holdsForm,
    limit,
  });
}

/** Messages stored before `search_text` held every text in one form may be in the other form. */
function formsOf(text: string): string[] {
  return [text, text.normalize("NFD")];
}

/** True if a scan would find the row. */
function matchesScan(row: Row, text: string): boolean {
  const stored = foldForScan(String(row["search_text"]));
  return formsOf(text).some((form) => stored.includes(foldForScan(form)));
}

const capital = /[\p{Changes_When_Casefolded}\p{Lu}]/gu;

/**
 * A text in which letters that a scan takes for the same are the same. One letter stays one: to a
 * scan, ß is not ss.
 */
function foldForScan(text: string): string {
  return text.replaceAll(capital, (letter) => {
    const small = [letter.toUpperCase().toLowerCase(), letter.toLowerCase()];
    return small.find(({ length }) => length === letter.length) ?? letter;
  });
}

/** Hits of a scan have no score: of messages that hold the text equally, the newest come first. */
function byShare(left: LiteralHit, right: LiteralHit): number {
  return right.share - left.share || Number(right.timestamp - left.timestamp);
}
