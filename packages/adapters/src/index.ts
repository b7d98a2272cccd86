export { adapterNamed, adapters, toolReader } from "./adapters.ts";
export { UnknownAdapterError } from "./errors.ts";
