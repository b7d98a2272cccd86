export { type CodexOptions, fromCodex } from "./from-codex.ts";
export { codexHomes, codexMovedTo } from "./layout.ts";
export { codexProblems } from "./problems.ts";
export { codexRecordRules } from "./record-rules.ts";
export { codexResume, codexResumesInParent } from "./resume.ts";
export { splitCodexPrompt } from "./spans.ts";
export { toCodex } from "./to-codex.ts";
export { codexTools } from "./tools.ts";
