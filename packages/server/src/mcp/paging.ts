import { type JsonValue, stringifyJson } from "@pond/canonical";
import { type Cut, cutText, lengthOf } from "./cut.ts";

/** Where to go on. */
export type PageRequest = {
  /** Id of the last message, or part, of the page before. */
  readonly after_id?: string | undefined;
  /** The session is read from its end. */
  readonly isFromEnd?: boolean;
  /** Characters of the next one that were already shown. */
  readonly offset: number;
  readonly maxCharacters: number;
};

/** The fields of the request for what follows this reply; its other fields stay as they were. */
export type Next = {
  readonly after_id?: string;
  readonly before_id?: string;
  readonly offset?: number;
};

/** What is shown of one message, or one part, that is too long for a reply. */
export type Piece = {
  readonly id: string;
  readonly text: string;
  /** True if it is a piece of JSON, because the item is more than a text and a few fields. */
  readonly is_json: boolean;
  /** For a text: the other fields of the item that it belongs to. */
  readonly beside?: object;
} & Cut;

/** The items, or the piece of one, that a reply holds. */
export type Page<T> = {
  readonly shown: readonly T[];
  /** A piece of the first item, instead of whole ones. */
  readonly piece?: Piece;
  /** How many items follow what is shown. */
  readonly remaining: number;
  readonly next?: Next;
};

type PageInit<T> = {
  /** How many items follow these. */
  readonly beyond: number;
  /** The text of an item that has one, and its other fields. */
  readonly textOf: (item: T) => TextItem | undefined;
};
/** A text that may be shown in pieces, and the other fields of its item. */
export type TextItem = { readonly text: string; readonly beside: object };
type Item = { readonly id: string };

/** Deeper JSON is shown as text, because the protocol's own code is not made for it. */
const maxDepth = 32;

/**
 * As many whole items as there is room for, or a piece of the first one.
 *
 * @param items - In the order in which they are read.
 * @param room - In characters.
 */
export function pageOf<T extends Item>(
  items: readonly T[],
  { after_id, isFromEnd = false, offset }: Omit<PageRequest, "maxCharacters">,
  room: number,
  { beyond, textOf }: PageInit<T>,
): Page<T> {
  const shown = offset > 0 ? [] : itemsThatFit(items, room);
  const nextFrom = (id: string): Next => (isFromEnd ? { before_id: id } : { after_id: id });
  const [first] = items;
  const count = first !== undefined && shown.length === 0 ? 1 : shown.length;
  const remaining = beyond + items.length - count;
  if (first !== undefined && shown.length === 0) {
    const piece = pieceOf(first, textOf(first), offset, room);
    if (piece.until < piece.of) {
      // Others may follow the last message by then; the first one stays the first.
      const from = isFromEnd ? first.id : after_id;
      const next = { ...(from !== undefined && nextFrom(from)), offset: piece.until };
      return { shown, piece, remaining, next };
    }
    return { shown, piece, remaining, ...(remaining > 0 && { next: nextFrom(first.id) }) };
  }
  const last = shown.at(-1);
  if (remaining === 0 || last === undefined) return { shown, remaining };
  return { shown, remaining, next: nextFrom(last.id) };
}

function itemsThatFit<T extends Item>(items: readonly T[], room: number): T[] {
  const shown: T[] = [];
  let left = room;
  for (const item of items) {
    left -= lengthOf(item) + 1;
    if (left < 0 || isDeeperThan(item, maxDepth)) break;
    shown.push(item);
  }
  return shown;
}

function pieceOf(item: Item, textItem: TextItem | undefined, offset: number, room: number): Piece {
  const { id } = item;
  if (textItem === undefined || textItem.text === "" || !isBrief(textItem.beside)) {
    // Wire types are JSON; TypeScript cannot see it through their optional fields.
    const json = stringifyJson(item as unknown as JsonValue);
    const [text, cut] = cutText(json, offset, Math.max(room, minPieceChars));
    return { id, text, is_json: true, ...cut };
  }
  const { beside } = textItem;
  const roomLeft = Math.max(room - lengthOf(beside), minPieceChars);
  const [text, cut] = cutText(textItem.text, offset, roomLeft);
  return { id, text, is_json: false, beside, ...cut };
}

/** True if it is short enough for each piece to repeat it. */
function isBrief(beside: object): boolean {
  return lengthOf(beside) <= maxBesideChars && !isDeeperThan(beside, maxDepth);
}

const minPieceChars = 500;
const maxBesideChars = 500;

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeperThan(each, levels - 1));
}
