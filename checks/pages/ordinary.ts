import type { SharedMessage, SharedSession } from "@pond/share";

const answer = `I looked at the reader. **Two things** go wrong:

1. the header is read as a row,
2. a quoted comma splits its cell.

\`\`\`ts
const cells = parse(line, { quote: '"' });
\`\`\`

| file | rows |
| :--- | ---: |
| a.csv | 12 |

> It worked last week.

See [the format](https://example.com/csv) and \`parse.ts\`.`;

const output = Array.from({ length: 60 }, (_, at) => `ok ${at + 1} - row ${at + 1}`).join("\n");

/** A session with every kind of content that a page shows. */
export function ordinarySession(): SharedSession {
  let count = 0;
  const message = (
    role: SharedMessage["role"],
    parts: readonly object[],
    more: object = {},
  ): SharedMessage => {
    count += 1;
    const content = parts.map((part, index) => ({ id: `${count}-${index}`, ...part }));
    const timestamp = `2026-03-04T08:00:${String(count).padStart(2, "0")}Z`;
    return { id: `m-${count}`, role, timestamp, content, ...more } as unknown as SharedMessage;
  };
  const text = (value: string) => ({ type: "text", text: value, provenance: "conversational" });
  const call = (call_id: string) => ({
    ...{ type: "tool_call", call_id, name: "shell" },
    params: { command: "npm test", cwd: "/work/csv" },
  });
  const result = (call_id: string, is_failure: boolean) => ({
    ...{ type: "tool_result", call_id, name: "shell", is_failure },
    result: is_failure ? `${output}\nnot ok 61 - quoted comma` : output,
  });
  const pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  return {
    session: {
      id: "5f0c1c5e-0000-4000-8000-000000000001",
      source_agent: "claude-code",
      project: "/work/csv",
      created_at: "2026-03-04T08:00:00Z",
    } as unknown as SharedSession["session"],
    messages: [
      message("user", [
        text("The import of our CSV is flaky. What is wrong?\nIt fails on Mondays."),
      ]),
      message("assistant", [
        { type: "reasoning", text: "I should run the tests before I say anything." },
        text("I run the tests."),
        call("c1"),
      ]),
      message("tool", [result("c1", true)]),
      message("assistant", [text(answer), call("c2")], { revised: true }),
      message("tool", [result("c2", false)]),
      message("user", [
        text("And this one?"),
        {
          ...{ type: "file", file_name: "shot.png", media_type: "image/png" },
          data: { type: "bytes", base64: pixel },
        },
      ]),
      message("assistant", [text("The very last words.")]),
    ],
    children: ["5f0c1c5e-0000-4000-8000-000000000002"],
  };
}
