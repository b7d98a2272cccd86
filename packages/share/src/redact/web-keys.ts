import { fieldRule, isSecretField } from "./assignments.ts";
import type { Rule } from "./rule.ts";

/** The members of a JSON web key (an object with a `kty`) that are private. */
const isPrivateName = /^(?:d|p|q|dp|dq|qi|k)$/;
const type = /\\{0,8}"kty\\{0,8}"\s{0,40}:\s{0,40}\\{0,8}"(?:RSA|EC|OKP|oct)\\{0,8}"/y;
const everyMember =
  /\\{0,8}"(?<name>d|p|q|dp|dq|qi|k)\\{0,8}"\s{0,40}:\s{0,40}\\{0,8}"(?<value>[\w-]{12,2000})\\{0,8}"/g;
/** The most that a key has on one side of its type, in UTF-16 units. */
const maxDistance = 8000;
/** Nor does any hold objects that lie deeper in one another. */
const maxDepth = 4;
/** As secrets of it are called where its members say too little. */
const secretMemberName = "private_key";

/** The name of an object's field; for a private member of a JSON web key, a name that says so. */
export function memberName(object: Readonly<Record<string, unknown>>, field: string): string {
  return typeof object["kty"] === "string" && isPrivateName.test(field) ? secretMemberName : field;
}

/** Finds the private members of a JSON web key. */
export const webKeyRule: Rule = {
  prefixes: ['"kty'],
  find(text, at) {
    type.lastIndex = at;
    if (!type.test(text)) return undefined;
    const start = edgeOfObject(text, at - 1, -1) + 1;
    const end = edgeOfObject(text, at, 1);
    const body = text.slice(start, end);
    const hits = [...body.matchAll(everyMember)].flatMap(({ index, 0: member, groups = {} }) => {
      const { value = "" } = groups;
      const first = start + index + member.lastIndexOf(value);
      const hit = { start: first, end: first + value.length, rule: fieldRule };
      return isSecretField(secretMemberName, value) ? [hit] : [];
    });
    return { hits, until: end };
  },
};

/** Where the object that a place is in begins or ends; those that it holds are passed over. */
function edgeOfObject(text: string, at: number, step: -1 | 1): number {
  const [edge, otherEdge] = step > 0 ? ["}", "{"] : ["{", "}"];
  const last = Math.max(-1, Math.min(text.length, at + step * maxDistance));
  let depth = 0;
  let place = at;
  for (; place !== last && depth <= maxDepth; place += step) {
    if (text[place] === otherEdge) depth += 1;
    else if (text[place] === edge) {
      if (depth === 0) break;
      depth -= 1;
    }
  }
  return place;
}
