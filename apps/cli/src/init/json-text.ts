import { isDeepStrictEqual } from "node:util";

/** A key of the outermost object, and a key of the object there. */
export type EntryPath = readonly [outer: string, inner: string];

type Token = { readonly text: string; readonly start: number; readonly end: number };
type Member = {
  readonly key: string;
  readonly first: Token;
  readonly value: Token;
  readonly last: Token;
};
type ObjectTokens = {
  readonly members: readonly Member[];
  readonly open: Token;
  readonly close: Token;
};
type Fields = Record<string, unknown>;

/** The settings of a client are not as expected, or not written in a way that pond can change. */
export class SettingsTextError extends Error {
  override readonly name = "SettingsTextError";
}

/** Parses JSON with comments and trailing commas. @throws {SettingsTextError} */
export function parseJsonText(text: string): unknown {
  const words = tokenize(text);
  const plain = words.filter(({ text: word }, at) => {
    const next = words[at + 1]?.text;
    return word !== "," || (next !== "}" && next !== "]");
  });
  try {
    return JSON.parse(plain.map(({ text: word }) => word).join(" "));
  } catch (cause) {
    const place = /at position (\d+)/.exec(String(cause))?.[1] ?? Number.POSITIVE_INFINITY;
    let length = 0;
    const unexpected = plain.find(({ text: word }) => {
      length += word.length + 1;
      return length > Number(place);
    });
    throw notJsonError(text, unexpected?.start ?? text.trimEnd().length, cause);
  }
}

function notJsonError(text: string, at: number, cause?: unknown): SettingsTextError {
  const line = text.slice(0, at).split("\n").length;
  return new SettingsTextError(`is not JSON (line ${line})`, { cause });
}

/** The value of an entry; undefined if there is none. @throws {SettingsTextError} */
export function entryOf(text: string, path: EntryPath): unknown {
  return valueAt(parseJsonText(text.trim() === "" ? "{}" : text), path);
}

/**
 * True if the object that holds the entry is there, with or without the entry. @throws
 * {SettingsTextError}
 */
export function hasOuterObject(text: string, [outer]: EntryPath): boolean {
  return text.trim() !== "" && Object.hasOwn(fieldsOf(parseJsonText(text)), outer);
}

/** The value at a path of own keys. */
export function valueAt(value: unknown, path: EntryPath): unknown {
  return path.reduce<unknown>((inner, step) => {
    const isTable = typeof inner === "object" && inner !== null && Object.hasOwn(inner, step);
    return isTable ? (inner as Fields)[step] : undefined;
  }, value);
}

/**
 * The text with one more entry, at the end of its object. Comments and everything else stay.
 *
 * @param text - Empty for a file that does not exist.
 * @throws {SettingsTextError} if it cannot be inserted this way; @throws {TypeError} if it is there
 * already.
 */
export function withEntry(text: string, [outer, inner]: EntryPath, value: unknown): string {
  const before = text.trim() === "" ? "{}\n" : text;
  const root = objectAt(before);
  const unit = indentOf(before, root);
  const outerMember = root.members.find(({ key }) => key === outer);
  const changed =
    outerMember === undefined
      ? addMember(before, root, outer, { [inner]: value }, unit, 1)
      : addMember(before, objectAt(before, outerMember.value), inner, value, unit, 2);
  const fields = fieldsOf(parseJsonText(before));
  const wanted = { ...fields, [outer]: { ...fieldsOf(fields[outer] ?? {}), [inner]: value } };
  return verified(changed, wanted);
}

/**
 * The text without an entry.
 *
 * @param isOuterOurs - If so, its object is removed with it, unless that holds anything else.
 * @throws {SettingsTextError} if it is not there, or cannot be taken out.
 */
export function withoutEntry(text: string, [outer, inner]: EntryPath, isOuterOurs = false): string {
  const root = objectAt(text);
  const outerMember = root.members.find(({ key }) => key === outer);
  const body = outerMember && objectAt(text, outerMember.value);
  const member = body?.members.find(({ key }) => key === inner);
  if (outerMember === undefined || body === undefined || member === undefined)
    throw new SettingsTextError(`has no ${outer}.${inner}`);
  const fields = fieldsOf(parseJsonText(text));
  // A comment in there is not pond's.
  const inside =
    text.slice(body.open.end, member.first.start) + text.slice(member.last.end, body.close.start);
  if (isOuterOurs && /^[\s,]*$/.test(inside)) {
    const { [outer]: _, ...others } = fields;
    return verified(withoutMember(text, outerMember), others);
  }
  const { [inner]: _, ...others } = fieldsOf(fields[outer]);
  return verified(withoutMember(text, member), { ...fields, [outer]: others });
}

function withoutMember(text: string, { first, last }: Member): string {
  const words = tokenize(text);
  const after = words.find(({ start }) => start >= last.end);
  const isFollowed = after?.text === ",";
  const to = isFollowed ? after.end : last.end;
  const previous = words[words.findIndex(({ start }) => start === first.start) - 1];
  const before = text.slice(0, first.start);
  // Its own line is removed, too. Comments around it are not pond's, and one needs the end of its
  // line.
  const isLine = /^[ \t]*(\r?\n|$)/.test(text.slice(to));
  const isAfterComment = before.trimEnd().length > (previous?.end ?? 0);
  let kept = isAfterComment && !isLine ? before : before.trimEnd();
  // No comma stays before nothing, either.
  if (!isFollowed && previous?.text === ",") {
    kept = kept.slice(0, previous.start) + kept.slice(previous.end);
  }
  return kept + text.slice(to);
}

function verified(text: string, wanted: Fields): string {
  if (isDeepStrictEqual(parseJsonText(text), wanted)) return text;
  throw new SettingsTextError("is written in a way that pond does not change");
}

function addMember(
  text: string,
  { members, open, close }: ObjectTokens,
  key: string,
  value: unknown,
  unit: string,
  depth: number,
): string {
  const indent = unit.repeat(depth);
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const entry = JSON.stringify(value, null, unit).replaceAll("\n", `${end}${indent}`);
  const line = `${end}${indent}${JSON.stringify(key)}: ${entry}`;
  const last = members.at(-1)?.last;
  if (last === undefined) {
    const rest = text.slice(open.end, close.start).trim() === "" ? close.start : open.end;
    return `${text.slice(0, open.end)}${line}${end}${unit.repeat(depth - 1)}${text.slice(rest)}`;
  }
  // A comment after the last member stays there: the comma goes before it, the entry after it.
  const tailEnd = text.slice(0, close.start).trimEnd().length;
  const tail = text.slice(last.end, tailEnd);
  const hasComma = tokenize(tail)[0]?.text === ",";
  return `${text.slice(0, last.end)}${hasComma ? "" : ","}${tail}${line}${hasComma ? "," : ""}${text.slice(tailEnd)}`;
}

/** The whitespace before the first member, if that has a line of its own. */
function indentOf(text: string, { members }: ObjectTokens): string {
  const [first] = members;
  const before = first === undefined ? "" : text.slice(0, first.first.start);
  return /\n([ \t]+)$/.exec(before)?.[1] ?? "  ";
}

/** The members of an object: the outermost one of the text, or the one that begins at a token. */
function objectAt(text: string, from?: Token): ObjectTokens {
  const words = tokenize(text);
  const start = from === undefined ? 0 : words.findIndex(({ start }) => start === from.start);
  const open = words[start];
  if (open?.text !== "{") throw new SettingsTextError("is not an object");
  const members: Member[] = [];
  let depth = 0;
  for (let at = start; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) break;
    if (word.text === "}" || word.text === "]") {
      depth -= 1;
      if (depth > 0) continue;
      return { members: members.map((each) => withLastToken(words, each)), open, close: word };
    }
    const [colon, value] = [words[at + 1], words[at + 2]];
    if (depth === 1 && word.text.startsWith('"') && colon?.text === ":" && value) {
      members.push({ key: String(JSON.parse(word.text)), first: word, value, last: value });
    }
    if (word.text === "{" || word.text === "[") depth += 1;
  }
  throw new SettingsTextError("is not JSON");
}

/** With the token that ends its value. */
function withLastToken(words: readonly Token[], member: Member): Member {
  let depth = 0;
  for (const word of words.slice(words.indexOf(member.value))) {
    if (word.text === "{" || word.text === "[") depth += 1;
    if (word.text === "}" || word.text === "]") depth -= 1;
    if (depth === 0) return { ...member, last: word };
  }
  return member;
}

/** Tokens without whitespace and comments. @throws {SettingsTextError} for invalid ones. */
function tokenize(text: string): Token[] {
  const pattern =
    /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{}[\],:]|[^\s{}[\],:"/]+|[\s\ufeff]+/y;
  const tokens: Token[] = [];
  while (pattern.lastIndex < text.length) {
    const start = pattern.lastIndex;
    const word = pattern.exec(text)?.[0];
    if (word === undefined) throw notJsonError(text, start);
    const isSkipped = word.startsWith("/") || word.trim() === "";
    if (!isSkipped) tokens.push({ text: word, start, end: start + word.length });
  }
  return tokens;
}

function fieldsOf(value: unknown): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new SettingsTextError("is not an object");
}
