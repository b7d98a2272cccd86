export { type ClaudeCodeOptions, fromClaudeCode } from "./from-claude-code.ts";
export { claudeCodeHomes } from "./layout.ts";
export { toClaudeCode } from "./to-claude-code.ts";
