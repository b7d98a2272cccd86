import type { Role } from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import { hasVisibleText, Tally, turnsOf, wellFormed } from "@pond/canonical/foreign";
import { marksOf, type Piece, piecesOf } from "./pieces.ts";

/**
 * Something in a session that every client can keep: a text of one side, or a call with its answer.
 */
type Statement =
  | { readonly kind: "said"; readonly role: Role; readonly text: string }
  | { readonly kind: "called"; readonly mark: string; readonly answer: string | undefined };

/**
 * What was said and called in a generated session, in order, in a form in which it can be found
 * again.
 */
export function statementsOf(content: SessionContent): readonly Statement[] {
  return turnsOf(content, {}, new Tally()).flatMap((turn): readonly Statement[] => {
    if (turn.kind === "context") return [];
    const { role } = turn.message;
    return turn.parts.flatMap((part): readonly Statement[] => {
      if (part.type === "call") {
        const [mark] = marksOf(part.part.params);
        const [answer] = part.result ? marksOf(part.result.part.result) : [];
        return mark === undefined ? [] : [{ kind: "called", mark, answer }];
      }
      const isConversational = part.type === "text" && part.provenance === "conversational";
      if (!isConversational || !hasVisibleText(part.text)) return [];
      return [{ kind: "said", role, text: wellFormed(part.text) }];
    });
  });
}

/** What is wrong, and how many statements before it are right. */
type StatementProblem = { readonly at: number; readonly what: string };

/** Why a session does not say all this, once each and in order; undefined if it does. */
export function firstMissingStatement(
  content: SessionContent,
  statements: readonly Statement[],
): StatementProblem | undefined {
  const pieces = piecesOf(content);
  let last: Place | undefined;
  for (const [at, statement] of statements.entries()) {
    const places = placesOf(statement, pieces);
    const problem = problemOf(statement, places, last, pieces);
    if (problem !== undefined) return { at, what: `${shown(statement)} ${problem}` };
    [last] = places;
  }
  return undefined;
}

function problemOf(
  statement: Statement,
  places: readonly Place[],
  last: Place | undefined,
  pieces: readonly Piece[],
): string | undefined {
  const [place] = places;
  if (place === undefined) return "is missing";
  if (statement.kind === "said" && places.length > 1) return "is there more than once";
  if (last && isBefore(place, last)) return "stands before what came before it";
  if (statement.kind === "said" || isAnswered(pieces, place.piece, statement.answer)) return;
  return `is not paired with its result, ${statement.answer}`;
}

function isBefore(place: Place, other: Place): boolean {
  return place.at < other.at || (place.at === other.at && place.offset < other.offset);
}

type Place = { readonly at: number; readonly offset: number; readonly piece: Piece };

function placesOf(statement: Statement, pieces: readonly Piece[]): readonly Place[] {
  return pieces.flatMap((piece, at): Place | readonly Place[] => {
    if (statement.kind === "called") {
      const isFound = piece.type !== "tool_result" && piece.marks.includes(statement.mark);
      return isFound ? { at, piece, offset: piece.said?.indexOf(statement.mark) ?? 0 } : [];
    }
    const offset = piece.role === statement.role ? (piece.said?.indexOf(statement.text) ?? -1) : -1;
    return offset < 0 ? [] : { at, piece, offset };
  });
}

/** True if the call's result is there: with the same call id, unless both became text. */
function isAnswered(pieces: readonly Piece[], call: Piece, answer: string | undefined): boolean {
  if (answer === undefined) return true;
  const holders = pieces.filter(({ marks }) => marks.includes(answer));
  if (call.type !== "tool_call") return holders.length > 0;
  return holders.some(({ type, callId }) => type === "tool_result" && callId === call.callId);
}

function shown(statement: Statement): string {
  return statement.kind === "said"
    ? `what the ${statement.role} said, ${JSON.stringify(statement.text.slice(0, 100))},`
    : `the call with ${statement.mark}`;
}
