import { isUtf8 } from "node:buffer";
import { isJsonObject, type JsonValue, tryParseJson } from "@pond/canonical";
import { hasLoneSurrogate, plainText } from "@pond/canonical/foreign";
import { checkExchange, listOf } from "./problems/exchange.ts";
import { session } from "./problems/session.ts";
import type { Report } from "./problems/shape.ts";

/**
 * What the library refuses in these files, `<session id>.json` each: a single wrong value makes it
 * refuse the whole file. Path -> bytes; one sentence each, empty if it loads them.
 */
export function phiCoreProblems(files: ReadonlyMap<string, Uint8Array>): readonly string[] {
  const found: string[] = [];
  for (const [path, bytes] of files) {
    const report: Report = (place, problem) => {
      found.push(`${path}: ${place === "" ? "the file" : place} ${problem}`);
    };
    const value = documentOf(bytes);
    if (value === undefined) {
      report("", "is no JSON");
      continue;
    }
    if (hasLoneSurrogate(Buffer.from(bytes).toString())) report("", "holds a lone surrogate");
    session(value, "", report);
    if (!isJsonObject(value)) continue;
    if (path !== `${plainText(value["session_id"])}.json`) {
      report("session_id", "is not the name of the file");
    }
    for (const [index, loop] of listOf(value["loops"]).entries()) {
      checkExchange(loop, `loops[${index}]`, report);
    }
  }
  return found;
}

function documentOf(bytes: Uint8Array): JsonValue | undefined {
  return isUtf8(bytes) ? tryParseJson(Buffer.from(bytes).toString()) : undefined;
}
