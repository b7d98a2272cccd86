export { type CodexOptions, fromCodex } from "./from-codex.ts";
export { codexHomes, codexMovedTo } from "./layout.ts";
export { codexProblems } from "./problems.ts";
export { codexRecords } from "./record-rules.ts";
export { codexResume, codexResumesAbove } from "./resume.ts";
export { cutCodexPrompt } from "./spans.ts";
export { toCodex } from "./to-codex.ts";
export { codexTools } from "./tools.ts";
