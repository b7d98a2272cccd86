export { adviseOn } from "./advice.ts";
export { toWireError } from "./errors.ts";
export {
  createHandlers,
  type Handlers,
  type HandlersOptions,
  type RequestContext,
} from "./handlers.ts";
export type { HandlerLimits } from "./limits.ts";
export {
  type AccessMode,
  createNamespaces,
  defaultNamespace,
  isNamespace,
  type Location,
  type Namespaces,
  type NamespacesOptions,
  singleNamespace,
} from "./namespaces.ts";
export type { Restorers } from "./resources.ts";
