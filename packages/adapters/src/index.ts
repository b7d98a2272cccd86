export { adapterNamed, adapters, meaningsOf } from "./adapters.ts";
export { UnknownAdapterError } from "./errors.ts";
