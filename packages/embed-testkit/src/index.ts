export type { TestModelOptions } from "./build-test-model.ts";
export { buildTestModel } from "./build-test-model.ts";
export { ModelFolder } from "./model-folder.ts";
export { nearness } from "./nearness.ts";
