import { createRandom } from "../shared/random.ts";
import { endMs, projects, spanMs } from "./corpus.ts";
import { isUnspacedWord } from "./text.ts";

export type LatencyQuery = {
  /** The text for pond. */
  readonly text: string;
  /** The words for SQLite: any of them, or this phrase. */
  readonly words: readonly string[];
  readonly phrase?: string;
};

/** Filters of a request. */
export type Bounds = {
  readonly project?: string;
  readonly role?: "user" | "assistant";
  readonly since?: string;
};

type Pick = <T>(from: readonly T[]) => T | undefined;

export type Kind =
  | "question"
  | "three words"
  | "identifier"
  | "two characters"
  | "phrase"
  | "unknown name";

type Make = (words: readonly string[], pick: Pick) => LatencyQuery | undefined;

/** How people and agents ask; each query is made from the text of a stored message. */
const kinds: Readonly<Record<Kind, Make>> = {
  question: (words, pick) => {
    const [one, two, three, four] = pickPlain(words, pick, 4);
    if (four === undefined) return undefined;
    return spoken(`how did we ${one} the ${two} of ${three} and why does it ${four}`);
  },
  "three words": (words, pick) => {
    const picked = pickPlain(words, pick, 3);
    return picked.length === 0 ? undefined : spoken(picked.join(" "));
  },
  identifier: (words, pick) => {
    const name = pick(words.filter((word) => /^[a-z]+(?:_[a-z]+|[A-Z][a-z]+)$/.test(word)));
    return name === undefined ? undefined : exact(name, name);
  },
  "two characters": (words, pick) => {
    const runs = words.flatMap((word) => word.match(/\p{Script=Han}{2}/gu) ?? []);
    const word = pick(runs.filter(isUnspacedWord));
    return word === undefined ? undefined : exact(word, word);
  },
  phrase: (words) => {
    const start = Math.floor(words.length / 2);
    const three = words.slice(start, start + 3);
    if (three.length < 3 || !three.every(isPlain)) return undefined;
    return exact(`"${three.join(" ")}"`, three.join(" "));
  },
  // Nobody said it, which is known once every text was read.
  "unknown name": (words, pick) => {
    const word = pick(words.filter(isPlain));
    return word === undefined ? undefined : exact(`${word}_xqzj`, `${word}_xqzj`);
  },
};

export const allKinds: readonly Kind[] = Object.keys(kinds) as Kind[];

/** `count` queries of a kind; the same ones every time for the same texts. */
export function queriesOf(kind: Kind, texts: readonly string[], count: number): LatencyQuery[] {
  const random = createRandom(kind.length * 7);
  const pick: Pick = (from) => from[Math.floor(random() * from.length)];
  const queries: LatencyQuery[] = [];
  for (let tries = 0; queries.length < count && tries < count * 200; tries += 1) {
    const query = kinds[kind](pick(texts)?.split(/\s+/) ?? [], pick);
    if (query !== undefined) queries.push(query);
  }
  return queries;
}

/** Which filters a query is asked with. Their values differ from query to query. */
export const scopes: Readonly<Record<string, (at: number) => Bounds>> = {
  "no filter": () => ({}),
  project: (at) => ({ project: projectOf(at) }),
  role: () => ({ role: "user" }),
  since: (at) => ({ since: sinceOf(at) }),
  "all three": (at) => ({ project: projectOf(at), role: "user", since: sinceOf(at) }),
};

function projectOf(at: number): string {
  return `/work/project-${(at * 7) % projects}`;
}

/** From a day to two years back. */
function sinceOf(at: number): string {
  return new Date(endMs - spanMs * 0.001 * 1.25 ** ((at * 11) % 31)).toISOString();
}

/** So many of the plain words; none if there are not enough. */
function pickPlain(words: readonly string[], pick: Pick, count: number): string[] {
  const plain = words.filter(isPlain);
  return Array.from({ length: count }, () => pick(plain) ?? "").filter((word) => word !== "");
}

function isPlain(word: string): boolean {
  return /^[a-z]{3,}$/.test(word);
}

function spoken(text: string): LatencyQuery {
  return { text, words: text.split(" ") };
}

function exact(text: string, phrase: string): LatencyQuery {
  return { text, words: [], phrase };
}
