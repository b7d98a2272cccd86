import {
  type CanonicalEvent,
  EventValidator,
  isJsonObject,
  type MessageHeader,
  type Part,
  recordCountOf,
  type Session,
  ValidationError,
} from "@pond/canonical";
import { type PreparedMessage, prepareMessage } from "../rows/prepare.ts";
import type { IngestOutcome } from "./outcome.ts";

/** Checks the events of one session and assembles its messages. */
export class MessageAssembler {
  readonly #outcome: IngestOutcome;
  readonly #validator = new EventValidator();
  #header: MessageHeader | undefined;
  #parts: Part[] = [];
  /** How many source records the current message keeps. */
  #records = 0;
  /** Set if its source lacks a file of it. */
  #missing: Pick<PreparedMessage, "isIncomplete" | "isStoredComplete"> | undefined;

  constructor(outcome: IngestOutcome) {
    this.#outcome = outcome;
  }

  /** The current message, which is complete when another event or the end has come. */
  takeMessage(): PreparedMessage | undefined {
    if (this.#header === undefined) return undefined;
    const prepared = prepareMessage(this.#header, this.#parts);
    const message = this.#missing ? { ...prepared, ...this.#missing } : prepared;
    this.#outcome.records_stored += this.#records;
    if (isCarrier(this.#header)) this.#outcome.records_carried += this.#records;
    this.#reset();
    return message;
  }

  #reset(): void {
    this.#header = undefined;
    this.#parts = [];
    this.#records = 0;
  }

  /**
   * Takes an event.
   *
   * @returns False if it breaks the model. Its message is then left out as a whole: without one of
   * its parts, it would not be what the source holds.
   */
  accept(event: CanonicalEvent): boolean {
    try {
      if (event.kind === "session") checkPondOptions(event.session);
      this.#validator.accept(event);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      this.#outcome.status = "failed";
      this.#outcome.error ??= error;
      this.#outcome.records_left_out += this.#records + recordCountOf(event);
      this.#reset();
      return false;
    }
    if (event.kind === "session") this.#outcome.records_stored += recordCountOf(event);
    else if (event.kind === "message") {
      this.#header = event.message;
      this.#records = recordCountOf(event);
      const { isIncomplete, isStoredComplete } = event;
      this.#missing = isIncomplete ? { isIncomplete, isStoredComplete } : undefined;
    }
    // The parts of a message that was left out are left out with it.
    else if (event.kind === "part" && this.#header) this.#parts.push(event.part);
    return true;
  }
}

function isCarrier({ role, options }: MessageHeader): boolean {
  const { source } = options;
  return role === "system" && isJsonObject(source) && source["record"] !== undefined;
}

/** Pond's own facts are kept there by their names, so nothing else can be kept with them. */
function checkPondOptions({ options }: Session): void {
  if (Object.hasOwn(options, "pond") && !isJsonObject(options["pond"])) {
    throw new ValidationError("session.options.pond", "expected a JSON object");
  }
}
