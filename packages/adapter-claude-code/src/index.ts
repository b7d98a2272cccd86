export { type ClaudeCodeOptions, fromClaudeCode } from "./from-claude-code.ts";
export { claudeCodeHomes } from "./layout.ts";
export { claudeCodeProblems } from "./problems.ts";
export { claudeCodeRecordRules } from "./record-rules.ts";
export { claudeCodeResume, claudeCodeResumesInParent } from "./resume.ts";
export { splitClaudeCodePrompt } from "./spans.ts";
export { toClaudeCode } from "./to-claude-code.ts";
export { claudeCodeTools } from "./tools.ts";
