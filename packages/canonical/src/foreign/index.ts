export { type Answer, Answers } from "./answers.ts";
export { base64Bytes } from "./base64.ts";
export { type BranchRules, type TreePlace, withoutLeftBranches } from "./branches.ts";
export {
  bytesInUrl,
  dataUrlOf,
  fileBytesOf,
  fileNote,
  firstCharacters,
  hasVisibleText,
  isApiImage,
  isElsewhere,
  isTextType,
  mediaTypeOf,
  wellFormed,
} from "./content.ts";
export { inSteps, without, withoutRetold } from "./course.ts";
export { type Family, familyOf, isSubAgent, saysFork } from "./family.ts";
export { holdsLoneSurrogate, wellFormedJson } from "./json-text.ts";
export { modelIn, modelOf } from "./model-of.ts";
export { type AgentNames, agentNamesOf, agentsNamedIn, recordedIn } from "./named-agents.ts";
export {
  CallIds,
  copyLetters,
  copyUuid,
  derivedHex,
  derivedUuid,
  lettersOf,
  toolName,
} from "./names.ts";
export { plainText } from "./plain-text.ts";
export { isTurn, isTyped } from "./speakers.ts";
export { moved, type Outcome, Tally, type Written } from "./tally.ts";
export { commandIn, type SessionTitle, titleFields, titleOf } from "./title.ts";
export {
  blockNote,
  type FileBlock,
  type ImageBlock,
  orphanBlocks,
  type ResultBlock,
  type ResultBlocks,
  resultBlocks,
  resultText,
  type TextBlock,
  unanswered,
} from "./tool-result.ts";
export {
  type RenamedTool,
  readRenamed,
  type ShapedTool,
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
