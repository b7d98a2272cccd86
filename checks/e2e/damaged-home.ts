import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type DamagedHome = {
  readonly home: string;
  /** `path:line`, below `projects`, of every fault that has to be reported. */
  readonly faults: readonly string[];
  /** Sessions whose last line is still being written. */
  readonly pending: number;
  readonly sessions: number;
};

const folder = "-work-app";
const deep = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;

/** One prompt as the client records it; `fields` replace or add some. */
export function promptLine(text: string, fields: object = {}): string {
  return JSON.stringify({
    type: "user",
    uuid: `uuid-of-${text}`,
    parentUuid: null,
    sessionId: "0b5e8f4e-58a5-4c6b-9d0e-1f0c7a3c2d11",
    cwd: "/work/app",
    timestamp: "2026-08-01T09:00:00.000Z",
    message: { role: "user", content: text },
    ...fields,
  });
}

/** One session for each way in which a file can be bad, with good records around it. */
export function writeDamagedHome(home: string): DamagedHome {
  const files: Readonly<Record<string, string | Buffer>> = {
    "bad-lines": [
      promptLine("first"),
      "this is no JSON",
      '[1, "an array, not a record"]',
      '"a string"',
      "\0\0\0\0",
      "",
      `{"type":"mode","mode":"normal","deep":${deep}}`,
      promptLine("a lone \ud800 surrogate"),
      `{"type":"cost","value":1e400,"id":9007199254740993,"__proto__":{"x":1}}`,
      promptLine("last\n"),
      "",
    ].join("\n"),
    "byte-order-mark-and-crlf": `\uFEFF${promptLine("one")}\r\n${promptLine("two")}\r\n`,
    "cut-off": `${promptLine("whole")}\n${promptLine("half").slice(0, 40)}`,
    "duplicate-uuids": [1, 2, 3]
      .map((number) => `${promptLine(`number ${number}`, { uuid: "the same" })}\n`)
      .join(""),
    "hostile-ids": ["../../x", "/etc/x", "__proto__", "a\0b", "\u001b[2J"]
      .map((id) => `${promptLine(`as ${id}`, { uuid: id, sessionId: id, agentId: id })}\n`)
      .join(""),
    "invalid-utf-8": Buffer.concat([
      Buffer.from(`${promptLine("before")}\n{"type":"mode","mode":"`),
      Buffer.from([0xff, 0xfe, 0xc0]),
      Buffer.from(`"}\n${promptLine("after")}\n`),
    ]),
    "two-sessions": `${promptLine("own")}\n${promptLine("other", { sessionId: "another" })}\n`,
  };
  const projects = join(home, "projects");
  mkdirSync(join(projects, folder, "a-folder.jsonl"), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(projects, folder, `${name}.jsonl`), content);
  }
  return {
    home,
    faults: [
      "a-folder.jsonl",
      ...[2, 3, 4, 5].map((line) => `bad-lines.jsonl:${line}`),
      "invalid-utf-8.jsonl:2",
    ].map((place) => join(projects, folder, place)),
    pending: 1,
    sessions: Object.keys(files).length,
  };
}
