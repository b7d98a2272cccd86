import { type Message, partsOf, type SystemMessage } from "../message.ts";
import type { ToolCallPart, ToolResultPart } from "../part.ts";
import { sourceOf } from "../seam/source-options.ts";
import { hasVisibleText } from "./content.ts";

/** A result, and the message it stands in. */
export type Answer = { readonly message: Message; readonly part: ToolResultPart };

/**
 * The results of a session, each for one call. Ids come again, where a client counts them anew for
 * each prompt: a result is that of the step before it which waits for one.
 */
export class Answers {
  readonly #answers: Map<ToolCallPart, Answer> = new Map();
  readonly #orphans: Set<ToolResultPart> = new Set();

  /** @param givenText - What a system message tells a model: where it says something, a step ends. */
  constructor(
    messages: readonly Message[],
    givenText: (message: SystemMessage) => string = ({ content }) => content,
  ) {
    const asked = new Map<string, AskedCalls>();
    const early: Answer[] = [];
    let step = 0;
    for (const message of messages) {
      if (!goesOn(message, givenText)) step += 1;
      const branch = branchOf(message);
      for (const part of partsOf(message)) {
        if (part.type === "tool_call") {
          const calls = asked.get(part.call_id) ?? new AskedCalls();
          asked.set(part.call_id, calls);
          calls.add(part, step, branch);
        } else if (part.type === "tool_result") {
          const call = asked.get(part.call_id)?.takeLast(branch);
          if (call) this.#answers.set(call, { message, part });
          else early.push({ message, part });
        }
      }
    }
    // Logs are not always in the order of time.
    for (const answer of early) {
      const call = asked.get(answer.part.call_id)?.takeFirst(branchOf(answer.message));
      if (call) this.#answers.set(call, answer);
      else this.#orphans.add(answer.part);
    }
  }

  /** What a call was answered, wherever that stands; undefined where no answer was recorded. */
  of(call: ToolCallPart): Answer | undefined {
    return this.#answers.get(call);
  }

  /** These messages, and those in which their calls are answered. */
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

/** Calls of one id that wait for an answer, those of one step together. */
class AskedCalls {
  readonly #steps: AskedStep[] = [];
  readonly #branches: Set<Branch> = new Set();

  add(call: ToolCallPart, step: number, branch: Branch): void {
    this.#branches.add(branch);
    const last = this.#steps.at(-1);
    if (last?.step === step && last.branch === branch) last.calls.push(call);
    else this.#steps.push({ step, branch, calls: [call] });
  }

  /** Out of the last step; of another branch only where its own never called so. */
  takeLast(branch: Branch): ToolCallPart | undefined {
    const own = this.#steps.findLastIndex((step) => mayAnswer(branch, step));
    return this.#takeAt(own < 0 && !this.#branches.has(branch) ? this.#steps.length - 1 : own);
  }

  takeFirst(branch: Branch): ToolCallPart | undefined {
    return this.#takeAt(this.#steps.findIndex((step) => mayAnswer(branch, step)));
  }

  #takeAt(index: number): ToolCallPart | undefined {
    const calls = this.#steps[index]?.calls;
    const call = calls?.shift();
    if (calls?.length === 0) this.#steps.splice(index, 1);
    return call;
  }
}

type AskedStep = {
  readonly step: number;
  readonly branch: Branch;
  readonly calls: ToolCallPart[];
};

/** One of several conversations that a session holds side by side; undefined where none is named. */
type Branch = string | undefined;

function branchOf(message: Message): Branch {
  const { loop } = sourceOf(message);
  return typeof loop === "string" ? loop : undefined;
}

function mayAnswer(branch: Branch, asked: AskedStep): boolean {
  return branch === undefined || asked.branch === undefined || branch === asked.branch;
}

/** True for a message that may be of the same step as what is before it. */
function goesOn(message: Message, givenText: (message: SystemMessage) => string): boolean {
  if (message.role === "system") return !hasVisibleText(givenText(message));
  return message.role === "assistant" && message.content[0]?.type === "tool_call";
}
