export { type Answer, Answers } from "./answers.ts";
export { base64Bytes } from "./base64.ts";
export { type BranchRules, type TreePlace, withoutAbandonedBranches } from "./branches.ts";
export {
  dataUrlBytes,
  dataUrlOf,
  fileBytesOf,
  fileNote,
  firstCharacters,
  hasOnlyUrl,
  hasVisibleText,
  isApiImage,
  isTextType,
  mediaTypeOf,
  wellFormed,
} from "./content.ts";
export { courseByRules, courseWithout, courseWithoutDuplicates } from "./course.ts";
export { type Family, familyOf, isSubAgent, saysFork } from "./family.ts";
export { hasLoneSurrogate, wellFormedJson } from "./json-text.ts";
export { modelIn, modelOf } from "./model-of.ts";
export { type AgentNames, agentNamesOf, agentsNamedIn, valuesInPart } from "./named-agents.ts";
export {
  base62Of,
  CallIds,
  copyBase62,
  copyUuid,
  derivedHex,
  derivedUuid,
  toolName,
} from "./names.ts";
export { plainText } from "./plain-text.ts";
export { isDialogue, isTypedByHuman } from "./speakers.ts";
export { asTranslated, type Outcome, Tally, type WrittenPart } from "./tally.ts";
export { commandIn, type SessionTitle, titleFields, titleOf } from "./title.ts";
export {
  blockNote,
  type FileBlock,
  type ImageBlock,
  missingResultText,
  orphanBlocks,
  type ResultBlock,
  type ResultBlocks,
  resultBlocks,
  resultText,
  type TextBlock,
} from "./tool-result.ts";
export {
  type ConvertedTool,
  type RenamedTool,
  readRenamed,
  toolFields,
  toolVocabulary,
  writeRenamed,
} from "./tools.ts";
export {
  type AssistantPart,
  type AssistantTurn,
  type Call,
  type ContextPart,
  type ContextTurn,
  type Turn,
  turnsOf,
  type UserTurn,
} from "./turns.ts";
