import { type Message, partsOf, tryParseObject } from "@pond/canonical";
import {
  type NamedModel,
  type RecordRules,
  type SessionContent,
  sourceOf,
} from "@pond/canonical/adapter";
import { modelOf } from "@pond/canonical/foreign";
import { attachedImages, attachedText } from "./attached-files.ts";
import { course } from "./course.ts";
import { contextIn } from "./fork-context.ts";
import { inherited } from "./inherited.ts";
import { agentPrefix, agentSuffix } from "./layout.ts";
import { restoreSidecar } from "./records/sidecar.ts";

/** What the client's records mean to models of other clients. */
export const claudeCodeRecordRules: RecordRules = {
  inherited,
  opensAlone: true,
  course,
  agentNames,
  agentPrompt,
  contextText: attachedText,
  contextImages: attachedImages,
  model,
};

/**
 * The agent's id, with which its session's id ends, and the id of the call. The answer to the call
 * names the agent, unless the agent was interrupted.
 */
function agentNames({ session: { id }, messages }: SessionContent): readonly string[] {
  const name = id.slice(id.lastIndexOf("/") + 1);
  const agent = name.startsWith(agentPrefix) ? name.slice(agentPrefix.length) : id;
  const calls = messages.flatMap((message) => {
    const { path, bytes } = restoreSidecar(message) ?? {};
    const isDescriptor = path?.endsWith(agentSuffix) === true;
    const descriptor = isDescriptor
      ? tryParseObject(Buffer.from(bytes ?? []).toString())
      : undefined;
    const { toolUseId } = descriptor ?? {};
    return typeof toolUseId === "string" && toolUseId !== "" ? toolUseId : [];
  });
  return [agent, ...calls];
}

/**
 * What an agent was asked for. For a forked agent, it comes after what it continues and the
 * client's words. For a teammate, it is a message at the beginning of its logs, of which it may
 * have many.
 */
function agentPrompt({ messages }: SessionContent): string | undefined {
  const context = contextIn(messages);
  const own = messages.slice(context?.index).flatMap(partsOf);
  const texts = own.filter((part) => part.type === "text");
  if (context) return texts.find(({ provenance }) => provenance === "conversational")?.text;
  const [first] = texts;
  if (first === undefined || sourceOf(first)["kind"] !== "teammate-message") return undefined;
  return /^<teammate-message [^\n]*>\n(.*?)\n<\/teammate-message>/s.exec(first.text)?.[1];
}

/** The client's name for the author of its own texts. */
const noModel = "<synthetic>";

function model(message: Message): NamedModel {
  const { model: name, ...named } = modelOf(message);
  return name === undefined || name === noModel ? named : { ...named, model: name };
}
