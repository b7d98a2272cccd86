import type { Message } from "@pond/canonical";
import type { AssistantTurn, ContextTurn, Turn, UserTurn } from "@pond/canonical/foreign";

/** The content of one message of the client. */
export type TurnGroup =
  | { readonly role: "user"; readonly message: Message; readonly turns: readonly UserSideTurn[] }
  | { readonly role: "assistant"; readonly message: Message; readonly turn: AssistantTurn };

type UserSideTurn = ContextTurn | UserTurn;

/**
 * Turns as messages: what the harness added goes into one message with the prompt next to it, as
 * the client itself does it.
 */
export function groupTurns(turns: readonly Turn[]): readonly TurnGroup[] {
  const groups: TurnGroup[] = [];
  let open: UserSideTurn[] = [];
  const close = (): void => {
    const [first] = open;
    if (first) groups.push({ role: "user", message: first.message, turns: open });
    open = [];
  };
  for (const turn of turns) {
    if (turn.kind === "assistant") {
      close();
      groups.push({ role: "assistant", message: turn.message, turn });
    } else {
      // Two prompts stay two messages.
      if (turn.kind === "user" && open.some(({ kind }) => kind === "user")) close();
      open.push(turn);
    }
  }
  close();
  return groups;
}
