import { isJsonObject, type JsonValue } from "@pond/canonical";
import { fieldsOf, type Report } from "./fields.ts";

/** Token counts are whole and not negative. */
export function checkUsage(value: JsonValue | undefined, place: string, report: Report): void {
  if (!isJsonObject(value)) {
    report(place, "is no object");
    return;
  }
  const usage = fieldsOf(value, place, report);
  for (const key of ["input", "output"]) usage.count(key);
  for (const key of ["reasoning", "cache_read", "cache_write", "total_tokens"]) {
    usage.count(key, "default");
  }
}
