export type { Embedder, EmbedKind, EmbedLimits, EmbedOptions } from "./embedder.ts";
export {
  DownloadError,
  EmbeddingError,
  EmbedError,
  ModelIncompleteError,
  ModelInvalidError,
  ModelNotFoundError,
  RuntimeMissingError,
} from "./errors.ts";
export type { DownloadOptions, DownloadProgress } from "./models/download-model.ts";
export { downloadModel } from "./models/download-model.ts";
export { isDownloaded, removeModel } from "./models/model-folder.ts";
export type { PinnedFile, PinnedModel } from "./models/pinned-models.ts";
export { pinnedModels } from "./models/pinned-models.ts";
export type { Environment } from "./network.ts";
export { openEmbedder } from "./open-embedder.ts";
export type {
  EmbedderSettings,
  FolderSettings,
  HttpSettings,
  PinnedSettings,
  Pooling,
} from "./settings.ts";
