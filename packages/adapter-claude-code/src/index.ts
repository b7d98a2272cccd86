export { type ClaudeCodeOptions, fromClaudeCode } from "./from-claude-code.ts";
export { claudeCodeHomes } from "./layout.ts";
export { claudeCodeProblems } from "./problems.ts";
export { claudeCodeRecords } from "./record-rules.ts";
export { claudeCodeResume, claudeCodeResumesAbove } from "./resume.ts";
export { cutClaudeCodePrompt } from "./spans.ts";
export { toClaudeCode } from "./to-claude-code.ts";
export { claudeCodeTools } from "./tools.ts";
