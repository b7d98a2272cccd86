import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const sessionCount = 14;
const turnsInSession = 12;
const samples = resolve("fixtures/samples/claude-code");

/** A stage of a client: the second has more in the same sessions, and further sessions. */
export type Stage = "first" | "grown";

/**
 * Writes a client's home: our samples, and sessions that grow turn by turn. Between the stages some
 * sessions grow, in one a record changes, and in one a record is taken back.
 */
export function writeTranscripts(home: string, stage: Stage): void {
  cpSync(samples, home, { recursive: true });
  const folder = join(home, "projects", "-work-pond");
  mkdirSync(folder, { recursive: true });
  const isGrown = stage === "grown";
  const sessions = isGrown ? sessionCount + 4 : sessionCount;
  for (let session = 0; session < sessions; session++) {
    const turns = isGrown && session < 5 ? turnsInSession * 2 : turnsInSession;
    const lines = Array.from({ length: turns }, (_, turn) => turnLines(session, turn)).flat();
    if (isGrown && session === 5) lines[3] = prompt(session, 1, "was edited afterwards");
    if (isGrown && session === 6) lines.splice(2, 1);
    writeFileSync(join(folder, `${sessionId(session)}.jsonl`), lines.map(ended).join(""));
  }
}

const ended = (line: string): string => `${line}\n`;

function sessionId(session: number): string {
  return `c4a05000-0000-4000-8000-${String(session).padStart(12, "0")}`;
}

/** A prompt, an answer that calls a tool, and the result of the tool. */
export function turnLines(session: number, turn: number): string[] {
  const call = `toolu_${session}_${turn}`;
  const said = `The answer of turn ${turn}: herons stand in reeds ${"and wait ".repeat(turn % 9)}`;
  const usage = { type: "tool_use", id: call, name: "Bash", input: { command: `ls ${turn}` } };
  const message = {
    ...{ id: `msg_${session}_${turn}`, type: "message", role: "assistant", model: "claude-x" },
    content: [{ type: "text", text: said }, usage],
    stop_reason: "tool_use",
    usage: { input_tokens: turn, output_tokens: 7 },
  };
  const result = { type: "tool_result", tool_use_id: call, content: `file-${turn}.txt`.repeat(30) };
  return [
    prompt(session, turn, `what is in pond ${turn} of session ${session}?`),
    record(session, `a${turn}`, "assistant", turn, message),
    record(session, `r${turn}`, "user", turn, { role: "user", content: [result] }),
  ];
}

function prompt(session: number, turn: number, text: string): string {
  return record(session, `p${turn}`, "user", turn, { role: "user", content: text });
}

function record(
  session: number,
  name: string,
  type: string,
  turn: number,
  message: object,
): string {
  const minute = String(turn % 60).padStart(2, "0");
  return JSON.stringify({
    ...{ type, uuid: `${sessionId(session)}-${name}`, parentUuid: null },
    ...{ sessionId: sessionId(session), cwd: "/work/pond", version: "2.0.0" },
    timestamp: `2026-03-0${1 + (session % 9)}T09:${minute}:00.000Z`,
    message,
  });
}
