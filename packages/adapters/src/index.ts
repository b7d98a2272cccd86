export { adapterNamed, adapters } from "./adapters.ts";
export { UnknownAdapterError } from "./errors.ts";
