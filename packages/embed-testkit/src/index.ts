export type { TestModelOptions } from "./build-test-model.ts";
export { buildTestModel } from "./build-test-model.ts";
export { cosineSimilarity } from "./cosine-similarity.ts";
export { ModelFolder } from "./model-folder.ts";
