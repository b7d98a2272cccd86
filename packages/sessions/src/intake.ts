import {
  type CanonicalEvent,
  EventValidator,
  type MessageHeader,
  type Part,
  ValidationError,
} from "@pond/canonical";
import type { IngestOutcome } from "./outcome.ts";
import { type PreparedMessage, prepareMessage } from "./prepare.ts";

/** Checks the events of one session and puts its messages together. */
export class Intake {
  readonly #outcome: IngestOutcome;
  readonly #validator = new EventValidator();
  #header: MessageHeader | undefined;
  #parts: Part[] = [];

  constructor(outcome: IngestOutcome) {
    this.#outcome = outcome;
  }

  /** The message under way, which is complete when another event or the end has come. */
  close(): PreparedMessage | undefined {
    if (this.#header === undefined) return undefined;
    const message = prepareMessage(this.#header, this.#parts);
    this.#header = undefined;
    this.#parts = [];
    return message;
  }

  /**
   * Takes an event.
   *
   * @returns False where it breaks the model. Its message is then left out, whole: one that lost
   * a part would not be what the source holds.
   */
  accept(event: CanonicalEvent): boolean {
    try {
      if (event.kind === "session") checkProject(event.session.project);
      this.#validator.accept(event);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      this.#outcome.status = "failed";
      this.#outcome.error ??= error;
      this.#header = undefined;
      this.#parts = [];
      return false;
    }
    if (event.kind === "message") this.#header = event.message;
    // The parts of a message that was left out are left out with it.
    else if (event.kind === "part" && this.#header) this.#parts.push(event.part);
    return true;
  }
}

/** A label is stored as plain text, which cannot hold half a character. */
function checkProject(project: string): void {
  if (!project.isWellFormed()) {
    throw new ValidationError("session.project", "holds a lone surrogate");
  }
}
