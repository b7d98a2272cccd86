export type { AllowedHosts } from "./hosts.ts";
export type { Concurrency, HttpLimitOptions, HttpLimits, RequestKind } from "./limits.ts";
export type { LogStream } from "./log.ts";
export type { HttpMount } from "./mount.ts";
export { namespaceFromHeader } from "./namespace-header.ts";
export { createHttpServer, type HttpServer, type HttpServerOptions } from "./server.ts";
