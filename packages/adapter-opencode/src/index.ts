export { opencodeCopyState } from "./copy-state.ts";
export { fromOpencode, type OpencodeOptions } from "./from-opencode.ts";
export { opencodeHomes } from "./layout.ts";
export { opencodeProblems } from "./problems.ts";
export { opencodeRecordRules } from "./record-rules.ts";
export { opencodeResume } from "./resume.ts";
export { type OpencodeWriterOptions, opencodeWriter, toOpencode } from "./to-opencode.ts";
export { opencodeTools } from "./tools.ts";
export type { Generation } from "./write-native.ts";
