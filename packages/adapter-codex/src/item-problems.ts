import { isJsonObject, type JsonObject, type JsonValue, tryParseObject } from "@pond/canonical";
import { plainText } from "@pond/canonical/foreign";

/** What the API would refuse in the items of one thread. */
export class ItemProblems {
  readonly #calls: Set<string> = new Set();
  /** Calls without their output yet, and the type of output that each waits for. */
  readonly #open: Map<string, string> = new Map();

  *of(item: JsonObject): Generator<string> {
    switch (item["type"]) {
      case "message":
        yield* messageProblems(item);
        break;
      case "reasoning":
        if (!Array.isArray(item["summary"])) yield "is reasoning without a summary";
        break;
      case "function_call":
        if (!holdsObject(item["arguments"]))
          yield "makes a call whose arguments are no JSON object";
        yield* this.#call(item, "function_call_output");
        break;
      case "custom_tool_call":
        if (typeof item["input"] !== "string") yield "makes a call without an input";
        yield* this.#call(item, "custom_tool_call_output");
        break;
      case "function_call_output":
      case "custom_tool_call_output":
        yield* this.#output(item);
        break;
      default:
        yield `is an item of type ${plainText(item["type"])}`;
    }
  }

  /** Every call needs its output; the client would make one up. */
  *unanswered(): Generator<string> {
    for (const id of this.#open.keys()) yield `leaves the call ${id} without an output`;
  }

  *#call({ call_id, name }: JsonObject, output: string): Generator<string> {
    if (typeof name !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
      yield "calls a tool whose name the API refuses";
    }
    if (typeof call_id !== "string" || call_id === "" || this.#calls.has(call_id)) {
      yield "makes a call without an id of its own";
      return;
    }
    if (call_id.length > 64) yield "makes a call whose id the API refuses";
    this.#calls.add(call_id);
    this.#open.set(call_id, output);
  }

  *#output({ type, call_id, output }: JsonObject): Generator<string> {
    if (typeof call_id !== "string" || this.#open.get(call_id) !== type) {
      yield "answers no open call of its kind";
    } else {
      this.#open.delete(call_id);
    }
    if (typeof output !== "string") yield* contentProblems(output, inputTypes);
  }
}

function* messageProblems({ role, content }: JsonObject): Generator<string> {
  const types = typeof role === "string" ? typesOfRole.get(role) : undefined;
  if (types === undefined) yield `is a message of role ${plainText(role)}`;
  else yield* contentProblems(content, types);
}

function* contentProblems(
  content: JsonValue | undefined,
  types: readonly string[],
): Generator<string> {
  const elements = Array.isArray(content) ? content.filter(isJsonObject) : [];
  if (!Array.isArray(content) || elements.length < content.length) {
    yield "has no list of content";
  }
  for (const element of elements) {
    const { type, text, image_url } = element satisfies JsonObject;
    if (typeof type !== "string" || !types.includes(type)) {
      yield `holds content of type ${plainText(type)}`;
    } else if (type !== "input_image") {
      if (typeof text !== "string") yield "holds a text that is none";
    } else if (typeof image_url !== "string" || !isImage(image_url)) {
      yield "holds an image that is none";
    }
  }
}

function isImage(url: string): boolean {
  return /^data:image\/[a-z+]+;base64,[A-Za-z0-9+/=]+$/.test(url) || /^https?:\/\//.test(url);
}

const inputTypes = ["input_text", "input_image"];
const typesOfRole: ReadonlyMap<string, readonly string[]> = new Map([
  ["user", inputTypes],
  ["developer", ["input_text"]],
  ["system", ["input_text"]],
  ["assistant", ["output_text"]],
]);

function holdsObject(text: JsonValue | undefined): boolean {
  return typeof text === "string" && tryParseObject(text) !== undefined;
}
