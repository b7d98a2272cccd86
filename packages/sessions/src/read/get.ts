import {
  type Part,
  partsOf,
  partToWire,
  sessionToWire,
  type WirePart,
  type WireSession,
} from "@pond/canonical";
import type { Store } from "@pond/substrate";
import { MessageNotFoundError, PartNotFoundError } from "../errors.ts";
import { comparePlaces } from "../revisions/order.ts";
import { searchText } from "../search/search-text.ts";
import type { SessionStore } from "../session-store.ts";
import { Batches, type BatchSize } from "./batches.ts";
import { cachedOutline } from "./cached-outline.ts";
import { checkCount } from "./check-count.ts";
import { loadMessages, loadShown, markMissingParts, type PlacedMessage } from "./content.ts";
import type { MessagePlace, MessagePlaces, Outline } from "./outline.ts";
import type { ReadBudget } from "./read-budget.ts";
import { type ResponseMode, type ShownMessage, show, sizeOf } from "./shown-message.ts";

/** Which page of a session, and how much of it. */
export type GetOptions = {
  readonly mode?: ResponseMode | undefined;
  /** Begin after this message. */
  readonly afterId?: string | undefined;
  /** Read from the end: the last page first. The messages of each are in order all the same. */
  readonly isFromEnd?: boolean | undefined;
  /** Read from the end, and begin before this message. */
  readonly beforeId?: string | undefined;
  /** About how much one page may hold. A message is never cut, so one may exceed it. */
  readonly limitBytes?: number | undefined;
};

/** A page of a session: whole messages, in order. */
export type SessionPage = {
  readonly session: WireSession;
  readonly response_mode: ResponseMode;
  readonly messages: readonly ShownMessage[];
  /** How many messages follow this page. Ask again with the last id as `after_id`. */
  readonly messages_remaining: number;
  /** If any come before this page, how many. Ask again with the first id as `before_id`. */
  readonly messages_before?: number;
  /** If any follow: the last of them, with which the session ends. */
  readonly last_id?: string;
};

/** One message with its parts, and its neighbours. */
export type MessageView = {
  readonly session: WireSession;
  readonly before: readonly ShownMessage[];
  readonly target: ShownMessage;
  readonly after: readonly ShownMessage[];
  readonly target_parts_remaining: number;
};

const pageBytes = 64 * 1024;
/** How much of a page a message takes; an estimate, until some of the session are read. */
const estimatedBytes = { conversational: 600, complete: 240, verbatim: 2_000 } as const;
// For more at once, the whole session would be read. Each may hold a picture or a long log.
const batchSize = { first: 140, most: 400, bytes: 512 * 1024 } as const;
// Reading a few too many costs less than reading again.
const overreadFactor = 1.25;

/**
 * How many messages of a session are read at once for the beginning of a page, by mode. It is kept
 * because each page comes with a request of its own: without it, each would read too many long ones
 * first.
 */
const firstCounts = new WeakMap<Outline, Map<ResponseMode, number>>();

/**
 * Returns a page of a session.
 *
 * @throws {SessionNotFoundError}
 * @throws {MessageNotFoundError} if `afterId` or `beforeId` is not in the session.
 * @throws {RangeError} for an invalid option.
 */
export async function getSession(
  sessions: SessionStore,
  id: string,
  options: GetOptions = {},
): Promise<SessionPage> {
  for await (const page of readPages(sessions, id, options)) return page;
  throw new TypeError("every session has a page");
}

/**
 * Yields the pages of a session, each read when it is asked for. Where the messages are is read
 * once, and never more of the messages than a page. An empty session has one page.
 *
 * @throws {SessionNotFoundError}
 * @throws {MessageNotFoundError} if `afterId` or `beforeId` is not in the session.
 * @throws {RangeError} for an invalid option.
 */
export async function* readPages(
  { store }: SessionStore,
  id: string,
  options: GetOptions = {},
): AsyncGenerator<SessionPage> {
  const { mode = "conversational", limitBytes = pageBytes, afterId, beforeId } = options;
  const isFromEnd = options.isFromEnd === true || beforeId !== undefined;
  if (!Object.hasOwn(estimatedBytes, mode)) throw new RangeError(`mode: there is no ${mode}`);
  checkCount("limitBytes", limitBytes);
  if (isFromEnd && afterId !== undefined) {
    throw new RangeError("afterId: it does not go with reading from the end");
  }
  const outline = await cachedOutline(store, id);
  const { session, places: all } = outline;
  const places = mode === "conversational" ? await conversationalPlaces(store, id, all) : all;
  const load = mode === "verbatim" ? loadMessages : loadShown;
  const counts = firstCountsOf(outline);
  const first = counts.get(mode) ?? batchSize.first;
  const size = { ...batchSize, first, bytes: Math.max(batchSize.bytes, limitBytes) };
  const batches = messageBatches(store, id, load, size);
  const inOrder = isFromEnd ? places.toReversed() : places;
  // A page may begin at a message that this mode does not show.
  const from = beforeId ?? afterId;
  let next = from === undefined ? 0 : countUpTo(inOrder, placeOf(outline, id, from), isFromEnd);
  let bytesEach: number | undefined;
  do {
    const passed = next;
    const limits = { bytes: limitBytes, bytesEach };
    const page = await loadPage(batches, inOrder.slice(next), mode, limits);
    const { messages } = page;
    bytesEach = page.bytesEach;
    counts.set(mode, Math.min(batchSize.first, batches.fitting));
    next += messages.length;
    const left = places.length - next;
    const [before, following] = isFromEnd ? [left, passed] : [passed, left];
    const last = following > 0 ? places.at(-1) : undefined;
    yield {
      session: sessionToWire(session),
      response_mode: mode,
      messages: isFromEnd ? messages.toReversed() : messages,
      messages_remaining: following,
      ...(before > 0 && { messages_before: before }),
      ...(last !== undefined && { last_id: last.id }),
    };
  } while (next < places.length);
}

function firstCountsOf(outline: Outline): Map<ResponseMode, number> {
  const known = firstCounts.get(outline) ?? new Map<ResponseMode, number>();
  firstCounts.set(outline, known);
  return known;
}

/** How many of the places are read up to another, which need not be among them. */
function countUpTo(
  inOrder: readonly MessagePlace[],
  place: MessagePlace,
  isFromEnd: boolean,
): number {
  const direction = isFromEnd ? -1 : 1;
  return inOrder.filter((each) => direction * comparePlaces(each, place) <= 0).length;
}

type PageLimits = {
  readonly bytes: number;
  /** About how much a message takes; undefined until one was read. */
  readonly bytesEach: number | undefined;
};

type LoadedPage = Pick<PageLimits, "bytesEach"> & { readonly messages: readonly ShownMessage[] };

async function loadPage(
  batches: MessageBatches,
  places: readonly MessagePlace[],
  mode: ResponseMode,
  limits: PageLimits,
): Promise<LoadedPage> {
  const messages: ShownMessage[] = [];
  let bytes = 0;
  let { bytesEach } = limits;
  for (let next = 0; next < places.length && (next === 0 || bytes < limits.bytes); ) {
    const wanted = Math.ceil(
      ((limits.bytes - bytes) / (bytesEach ?? estimatedBytes[mode])) * overreadFactor,
    );
    // Many small messages may follow one large message, so what is read doubles.
    const count = Math.max(1, next, wanted);
    for (const placed of await batches.read(places.slice(next, next + count))) {
      const shown = show(placed, mode);
      bytes += sizeOf(shown);
      if (messages.length > 0 && bytes > limits.bytes) break;
      messages.push(shown);
      next += 1;
    }
    bytesEach = bytes / messages.length;
  }
  return { messages, bytesEach };
}

type MessageBatches = Batches<MessagePlace, PlacedMessage>;

/** Reads messages of a session, and marks those that have lost their parts. */
function messageBatches(
  store: Store,
  id: string,
  load: typeof loadMessages | typeof loadShown,
  size: BatchSize = batchSize,
): MessageBatches {
  const read = async (places: readonly MessagePlace[], budget: ReadBudget) =>
    markMissingParts(store, id, await load(store, id, places, budget));
  return new Batches(read, size);
}

/** Which neighbours of a message are shown, and which page of its parts. */
export type MessageOptions = {
  /** How many neighbours on each side; system messages are none. */
  readonly context?: number | undefined;
  /** Begin after this part of the target. */
  readonly afterPart?: string | undefined;
  readonly limitBytes?: number | undefined;
};

/**
 * Returns one message with all its parts, a page of them at a time, and its neighbours. A message
 * that is no longer in its source is shown as it was last, where it was, and is marked as removed.
 *
 * @throws {SessionNotFoundError}
 * @throws {MessageNotFoundError}
 * @throws {PartNotFoundError} if `afterPart` is not in the message.
 * @throws {RangeError} for an invalid option.
 */
export async function getMessage(
  sessions: SessionStore,
  sessionId: string,
  messageId: string,
  options: MessageOptions = {},
): Promise<MessageView> {
  const { context = 2, limitBytes = pageBytes, afterPart } = options;
  checkCount("context", context);
  checkCount("limitBytes", limitBytes);
  const { store } = sessions;
  const outline = await cachedOutline(store, sessionId);
  const { session, places, removed } = outline;
  const place = placeOf(outline, sessionId, messageId);
  const isRemoved = removed.includes(place);
  const next = nextPlace(places, place);
  const earlier = places.slice(0, isRemoved ? next : next - 1).filter(isNeighbour);
  const later = places.slice(next).filter(isNeighbour);
  const wanted = [
    ...earlier.slice(Math.max(0, earlier.length - context)),
    place,
    ...later.slice(0, context),
  ];
  const before: ShownMessage[] = [];
  const after: ShownMessage[] = [];
  let target: PlacedMessage | undefined;
  // A hundred neighbours may hold a hundred times what one message may.
  const counts = firstCountsOf(outline);
  const first = Math.min(8, counts.get("verbatim") ?? batchSize.first);
  const few = { ...batchSize, first, most: 32 };
  const batches = messageBatches(store, sessionId, loadMessages, few);
  for await (const read of batches.readAll(wanted)) {
    for (const placed of read) {
      if (placed.message.id === messageId) target = placed;
      else (target === undefined ? before : after).push(show(placed, "complete"));
    }
  }
  if (target === undefined) throw new MessageNotFoundError(sessionId, messageId);
  if (batches.fitting < few.most) counts.set("verbatim", batches.fitting);
  const page = pageOfParts(messageId, partsOf(target.message), afterPart, limitBytes);
  const whole = { ...show(target, "verbatim"), ...(isRemoved && { removed: true as const }) };
  return {
    session: sessionToWire(session),
    before,
    target: target.message.role === "system" ? whole : { ...whole, content: page.parts },
    after,
    target_parts_remaining: page.remaining,
  };
}

/**
 * True for what was said and done. Between two such messages a client may note any number of
 * things, such as its settings, which are shown as empty system messages.
 */
function isNeighbour({ role }: MessagePlace): boolean {
  return role !== "system";
}

/** The places of messages in which a person or a model says something. */
async function conversationalPlaces(
  store: Store,
  id: string,
  places: readonly MessagePlace[],
): Promise<MessagePlace[]> {
  const conversational = new Set(
    places.filter(({ isSearchable }) => isSearchable).map(({ id }) => id),
  );
  // The row of a revised message says what it was; its carrier says what it is.
  const revised = places.filter(({ carrierId }) => carrierId !== undefined);
  for await (const read of messageBatches(store, id, loadMessages).readAll(revised)) {
    for (const { message } of read) {
      if (searchText(message, partsOf(message)) === null) conversational.delete(message.id);
      else conversational.add(message.id);
    }
  }
  return places.filter((place) => conversational.has(place.id));
}

/** Where a message is, or was before it was removed. @throws {MessageNotFoundError} */
function placeOf(
  { places, removed }: MessagePlaces,
  sessionId: string,
  messageId: string,
): MessagePlace {
  const isIt = ({ id }: MessagePlace): boolean => id === messageId;
  const place = places.find(isIt) ?? removed.find(isIt);
  if (place === undefined) throw new MessageNotFoundError(sessionId, messageId);
  return place;
}

/** The index of the first of these places that comes after another. */
function nextPlace(places: readonly MessagePlace[], place: MessagePlace): number {
  const next = places.findIndex((each) => comparePlaces(each, place) > 0);
  return next < 0 ? places.length : next;
}

function pageOfParts(
  messageId: string,
  parts: readonly Part[],
  afterPart: string | undefined,
  limitBytes: number,
): { readonly parts: readonly WirePart[]; readonly remaining: number } {
  const start = afterPart === undefined ? 0 : parts.findIndex(({ id }) => id === afterPart) + 1;
  if (start === 0 && afterPart !== undefined) throw new PartNotFoundError(messageId, afterPart);
  const page: WirePart[] = [];
  let bytes = 0;
  for (const part of parts.slice(start)) {
    const wire = partToWire(part);
    bytes += sizeOf(wire);
    if (page.length > 0 && bytes > limitBytes) break;
    page.push(wire);
  }
  return { parts: page, remaining: parts.length - start - page.length };
}
