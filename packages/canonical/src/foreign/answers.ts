import { type Message, partsOf, type SystemMessage } from "../message.ts";
import type { ToolCallPart, ToolResultPart } from "../part.ts";
import { sourceOf } from "../seam/source-options.ts";
import { hasVisibleText } from "./content.ts";

/** A tool result and the message that holds it. */
export type Answer = { readonly message: Message; readonly part: ToolResultPart };

/**
 * Matches each result of a session to one call. A client that counts ids anew for each prompt uses
 * an id several times: a result then belongs to the latest step before it that waits for one.
 */
export class Answers {
  readonly #answers: Map<ToolCallPart, Answer> = new Map();
  readonly #orphans: Set<ToolResultPart> = new Set();

  /**
   * @param contextText - What a system message tells a model. A message that tells something ends a
   * step.
   */
  constructor(
    messages: readonly Message[],
    contextText: (message: SystemMessage) => string = ({ content }) => content,
  ) {
    const openCalls = new Map<string, OpenCalls>();
    const early: Answer[] = [];
    let step = 0;
    for (const message of messages) {
      if (!continuesStep(message, contextText)) step += 1;
      const branch = branchOf(message);
      for (const part of partsOf(message)) {
        if (part.type === "tool_call") {
          const calls = openCalls.get(part.call_id) ?? new OpenCalls();
          openCalls.set(part.call_id, calls);
          calls.add(part, step, branch);
        } else if (part.type === "tool_result") {
          const call = openCalls.get(part.call_id)?.takeLast(branch);
          if (call) this.#answers.set(call, { message, part });
          else early.push({ message, part });
        }
      }
    }
    // Logs are not always in chronological order.
    for (const answer of early) {
      const call = openCalls.get(answer.part.call_id)?.takeFirst(branchOf(answer.message));
      if (call) this.#answers.set(call, answer);
      else this.#orphans.add(answer.part);
    }
  }

  /** The answer to a call, wherever it stands; undefined if none was recorded. */
  of(call: ToolCallPart): Answer | undefined {
    return this.#answers.get(call);
  }

  /** These messages, and the messages that hold the answers to their calls. */
  withAnswersTo(messages: readonly Message[]): ReadonlySet<Message> {
    const answered = messages.flatMap(partsOf).flatMap((part) => {
      const answer = part.type === "tool_call" ? this.of(part) : undefined;
      return answer ? [answer.message] : [];
    });
    return new Set([...messages, ...answered]);
  }

  /** True for a result that answers no call of the session. */
  isOrphan(part: ToolResultPart): boolean {
    return this.#orphans.has(part);
  }
}

/** The calls of one id that wait for an answer, grouped by step. */
class OpenCalls {
  readonly #steps: OpenStep[] = [];
  readonly #branches: Set<Branch> = new Set();

  add(call: ToolCallPart, step: number, branch: Branch): void {
    this.#branches.add(branch);
    const last = this.#steps.at(-1);
    if (last?.step === step && last.branch === branch) last.calls.push(call);
    else this.#steps.push({ step, branch, calls: [call] });
  }

  /**
   * Takes a call from the last step; from another branch only if the result's own branch never used
   * the id.
   */
  takeLast(branch: Branch): ToolCallPart | undefined {
    const own = this.#steps.findLastIndex((step) => canAnswer(branch, step));
    return this.#takeAt(own < 0 && !this.#branches.has(branch) ? this.#steps.length - 1 : own);
  }

  takeFirst(branch: Branch): ToolCallPart | undefined {
    return this.#takeAt(this.#steps.findIndex((step) => canAnswer(branch, step)));
  }

  #takeAt(index: number): ToolCallPart | undefined {
    const calls = this.#steps[index]?.calls;
    const call = calls?.shift();
    if (calls?.length === 0) this.#steps.splice(index, 1);
    return call;
  }
}

type OpenStep = {
  readonly step: number;
  readonly branch: Branch;
  readonly calls: ToolCallPart[];
};

/** One of several conversations that a session holds side by side; undefined if none is named. */
type Branch = string | undefined;

function branchOf(message: Message): Branch {
  const { loop } = sourceOf(message);
  return typeof loop === "string" ? loop : undefined;
}

function canAnswer(branch: Branch, open: OpenStep): boolean {
  return branch === undefined || open.branch === undefined || branch === open.branch;
}

/** True for a message that may belong to the same step as the one before it. */
function continuesStep(message: Message, contextText: (message: SystemMessage) => string): boolean {
  if (message.role === "system") return !hasVisibleText(contextText(message));
  return message.role === "assistant" && message.content[0]?.type === "tool_call";
}
