import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";
import { hashOf } from "../records/blobs.ts";

/** Messages with the images that omp keeps beside its logs; a missing one stays a reference. */
export function withBlobs(messages: readonly JsonObject[], folder: string): readonly JsonObject[] {
  return messages.map((message) => {
    const { content } = message;
    if (!Array.isArray(content)) return message;
    const whole = content.map((block: JsonValue) =>
      isJsonObject(block) ? withBlob(block, folder) : block,
    );
    return { ...message, content: whole };
  });
}

function withBlob(block: JsonObject, folder: string): JsonObject {
  const name = hashOf(block["data"]);
  const file = name === undefined ? undefined : join(folder, name);
  if (file === undefined || !existsSync(file)) return block;
  return { ...block, data: readFileSync(file).toString("base64") };
}
