import type * as Runtime from "onnxruntime-node";
import { RuntimeMissingError } from "../errors.ts";

const packageName = "onnxruntime-node";

/** @throws {RuntimeMissingError} if the optional package is not installed or does not run here. */
export async function loadRuntime(): Promise<typeof Runtime> {
  try {
    return await import("onnxruntime-node");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "no code";
    const isMissing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
    const reason = isMissing ? "is not installed" : `cannot be loaded here (${code})`;
    throw new RuntimeMissingError(packageName, reason, { cause });
  }
}
