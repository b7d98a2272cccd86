export { startAzurite } from "./azurite.ts";
export type { Fault } from "./faults.ts";
export { type FaultyProxy, startFaultyProxy } from "./faulty-proxy.ts";
export { type S3Options, type S3Storage, startS3 } from "./s3.ts";
export type { TestStorage } from "./storage.ts";
