import {
  fromRfc3339,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from "@pond/canonical";
import { fieldsOf, type Report } from "./problems/fields.ts";
import { checkMessage } from "./problems/message.ts";
import { checkUsage } from "./problems/usage.ts";

/**
 * What the library refuses in these files, `<session id>.json` each: one wrong value makes it refuse
 * the whole file. Path -> bytes; one sentence each, empty where it loads them.
 */
export function phiCoreProblems(files: ReadonlyMap<string, Uint8Array>): readonly string[] {
  const found: string[] = [];
  for (const [path, bytes] of files) {
    const report: Report = (place, problem) => found.push(`${path}: ${place} ${problem}`);
    let value: JsonValue;
    try {
      value = parseJson(Buffer.from(bytes).toString());
    } catch {
      report("the file", "is no JSON");
      continue;
    }
    if (!isJsonObject(value)) report("the file", "is no object");
    else checkSession(value, path, report);
  }
  return found;
}

function checkSession(session: JsonObject, path: string, report: Report): void {
  const fields = fieldsOf(session, "session", report);
  fields.text("session_id");
  fields.text("agent_id");
  fields.time("created_at");
  fields.time("last_active_at");
  fields.oneOf("scope", ["ephemeral", "persistent"], "default");
  checkFormation(session["formation"], report);
  const spawn = fields.objectOrNull("parent_spawn_ref");
  if (spawn) {
    const ref = fieldsOf(spawn, "parent_spawn_ref", report);
    for (const key of ["parent_session_id", "parent_loop_id", "tool_call_id", "tool_name"]) {
      ref.text(key);
    }
  }
  if (path !== `${String(session["session_id"])}.json`) {
    report("session_id", "is not the name of the file");
  }
  for (const [index, loop] of fields.objects("loops").entries()) {
    checkLoop(loop, `loops[${index}]`, report);
  }
}

const formations = ["Explicit", "FirstLoop", "InactivityTimeout"];

function checkFormation(value: JsonValue | undefined, report: Report): void {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  const [[variant, content] = []] = entries;
  const { timestamp } = isJsonObject(content) ? content : {};
  const isKnown = entries.length === 1 && formations.includes(variant ?? "");
  const isTimed = typeof timestamp === "string" && fromRfc3339(timestamp) !== undefined;
  if (!isKnown || !isTimed) report("formation", "is none that the library knows");
}

const statuses = ["Pending", "Running", "Completed", "Rejected", "Aborted"];
const continuations = ["Initial", "Default", "Compaction"];

function checkLoop(loop: JsonObject, place: string, report: Report): void {
  const fields = fieldsOf(loop, place, report);
  for (const key of ["loop_id", "session_id", "agent_id"]) fields.text(key);
  fields.textOrNull("parent_loop_id");
  fields.textOrNull("rejection");
  fields.time("started_at");
  fields.timeOrNull("ended_at");
  fields.oneOf("status", statuses);
  fields.objectOrNull("config");
  fields.objectOrNull("parallel_group");
  checkContinuation(loop["continuation_kind"], place, report);
  checkUsage(loop["usage"], `${place}.usage`, report);
  fields.list("children_loop_ids");
  fields.objects("turns", "default");
  fields.objects("events");
  for (const [at, ref] of fields.objects("child_loop_refs").entries()) {
    const child = fieldsOf(ref, `${place}.child_loop_refs[${at}]`, report);
    for (const key of ["tool_call_id", "tool_name", "child_loop_id", "child_session_id"]) {
      child.text(key);
    }
  }
  const open = new Set<string>();
  for (const [at, message] of fields.objects("messages").entries()) {
    checkMessage(message, `${place}.messages[${at}]`, report, open);
  }
  for (const id of open) report(place, `leaves the call ${id} without an answer`);
}

function checkContinuation(value: JsonValue | undefined, place: string, report: Report): void {
  if (value === undefined || value === null) return;
  if (typeof value === "string" && continuations.includes(value)) return;
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  const [[variant, content] = []] = entries;
  const { tag } = isJsonObject(content) ? content : {};
  const isTagged = (variant === "Rerun" || variant === "Branch") && typeof tag === "string";
  if (entries.length !== 1 || !isTagged) {
    report(`${place}.continuation_kind`, "is none that the library knows");
  }
}
