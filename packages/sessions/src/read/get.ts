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
import { cachedOutline } from "./cached-outline.ts";
import { checkCount } from "./check-count.ts";
import { loadMessages, loadShown, markMissingParts } from "./content.ts";
import type { MessagePlace, MessagePlaces } from "./outline.ts";
import { type ResponseMode, type ShownMessage, show, sizeOf } from "./shown-message.ts";

/** Which page of a session, and how much of it. */
export type GetOptions = {
  readonly mode?: ResponseMode | undefined;
  /** Begin after this message. */
  readonly afterId?: string | undefined;
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
/** How many are read while that is an estimate, because each may hold a picture. */
const firstChunkMessages = 140;
/** For many more, the whole session would be read. */
const maxChunkMessages = 400;
// Reading a few too many costs less than reading again.
const overreadFactor = 1.25;

/**
 * Returns a page of a session.
 *
 * @throws {SessionNotFoundError}
 * @throws {MessageNotFoundError} if `afterId` is not in the session.
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
 * @throws {MessageNotFoundError} if `afterId` is not in the session.
 * @throws {RangeError} for an invalid option.
 */
export async function* readPages(
  { store }: SessionStore,
  id: string,
  options: GetOptions = {},
): AsyncGenerator<SessionPage> {
  const { mode = "conversational", limitBytes = pageBytes, afterId } = options;
  if (!Object.hasOwn(estimatedBytes, mode)) throw new RangeError(`mode: there is no ${mode}`);
  checkCount("limitBytes", limitBytes);
  const outline = await cachedOutline(store, id);
  const { session, places: all } = outline;
  const places = mode === "conversational" ? await conversationalPlaces(store, id, all) : all;
  // A page may begin after a message that this mode does not show.
  const from = afterId === undefined ? 0 : nextPlace(all, placeOf(outline, id, afterId));
  const before = new Set(all.slice(0, from));
  let next = places.filter((place) => before.has(place)).length;
  let bytesEach: number | undefined;
  do {
    const limits = { bytes: limitBytes, bytesEach };
    const page = await loadPage(store, id, places.slice(next), mode, limits);
    const { messages } = page;
    bytesEach = page.bytesEach;
    next += messages.length;
    yield {
      session: sessionToWire(session),
      response_mode: mode,
      messages,
      messages_remaining: places.length - next,
    };
  } while (next < places.length);
}

type PageLimits = {
  readonly bytes: number;
  /** About how much a message takes; undefined until one was read. */
  readonly bytesEach: number | undefined;
};

type LoadedPage = Pick<PageLimits, "bytesEach"> & { readonly messages: readonly ShownMessage[] };

async function loadPage(
  store: Store,
  id: string,
  places: readonly MessagePlace[],
  mode: ResponseMode,
  limits: PageLimits,
): Promise<LoadedPage> {
  const load = mode === "verbatim" ? loadMessages : loadShown;
  const messages: ShownMessage[] = [];
  let bytes = 0;
  let { bytesEach } = limits;
  for (let next = 0; next < places.length && (next === 0 || bytes < limits.bytes); ) {
    const wanted = Math.ceil(
      ((limits.bytes - bytes) / (bytesEach ?? estimatedBytes[mode])) * overreadFactor,
    );
    // Many small messages may follow one large message, so what is read doubles.
    const atLeast = Math.max(1, next, wanted);
    const count = Math.min(
      bytesEach === undefined ? firstChunkMessages : maxChunkMessages,
      atLeast,
    );
    const chunk = await markMissingParts(
      store,
      id,
      await load(store, id, places.slice(next, next + count)),
    );
    for (const placed of chunk) {
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

/** Which neighbours of a message are shown, and which page of its parts. */
export type MessageOptions = {
  /** How many neighbours on each side. */
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
  const at = isRemoved ? next : next - 1;
  const wanted = [
    ...places.slice(Math.max(0, at - context), at),
    place,
    ...places.slice(next, next + context),
  ];
  const placed = await markMissingParts(
    store,
    sessionId,
    await loadMessages(store, sessionId, wanted),
  );
  const found = placed.findIndex(({ message }) => message.id === messageId);
  const target = placed[found];
  if (target === undefined) throw new MessageNotFoundError(sessionId, messageId);
  const page = pageOfParts(messageId, partsOf(target.message), afterPart, limitBytes);
  const whole = { ...show(target, "verbatim"), ...(isRemoved && { removed: true as const }) };
  return {
    session: sessionToWire(session),
    before: placed.slice(0, found).map((each) => show(each, "complete")),
    target: target.message.role === "system" ? whole : { ...whole, content: page.parts },
    after: placed.slice(found + 1).map((each) => show(each, "complete")),
    target_parts_remaining: page.remaining,
  };
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
  for (const { message } of await loadMessages(store, id, revised)) {
    if (searchText(message, partsOf(message)) === null) conversational.delete(message.id);
    else conversational.add(message.id);
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
