import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor, type SharedMessage, type SharedSession, toHtml } from "../index.ts";

const session = {
  id: "s1",
  source_agent: "claude-code",
  project: "/work",
  created_at: "2026-03-04T08:00:00Z",
} as unknown as SharedSession["session"];

function message(role: SharedMessage["role"], ...parts: readonly object[]): SharedMessage {
  const content = parts.map((part, at) => ({ id: String(at), ...part }));
  const fields = { id: "m", role, timestamp: "2026-03-04T08:00:01Z", content };
  return fields as unknown as SharedMessage;
}

const text = (value: string) => ({ type: "text", text: value, provenance: "conversational" });

async function pageOf(...messages: readonly SharedMessage[]): Promise<string> {
  return (await Array.fromAsync(toHtml({ session, messages }))).join("");
}

/** What a page says of a message, without the page around it. */
async function articleOf(one: SharedMessage): Promise<string> {
  return /<article.*<\/article>/s.exec(await pageOf(one))?.[0] ?? "";
}

// Tags the page itself writes, with the attributes it gives them.
const ownTag =
  /<\/?(?:a|article|b|blockquote|br|code|details|div|em|figcaption|figure|h[2-6]|header|hr|img|li|ol|p|pre|s|span|strong|summary|table|tbody|td|th|thead|time|tr|ul)(?: (?:alt|aria-label|class|datetime|dir|href|id|open|rel|src|start|tabindex|title)(?:="[^"<>]*")?)* ?\/?>/g;

describe("an HTML page", () => {
  it("shows what each part of a message is", async () => {
    const page = await pageOf(
      message("user", text("Why is it *slow*?")),
      message(
        "assistant",
        { type: "reasoning", text: "Measure first." },
        { type: "tool_call", call_id: "c", name: "shell", params: { command: "time npm test" } },
      ),
      message("tool", {
        ...{ type: "tool_result", call_id: "c", name: "shell" },
        ...{ is_failure: true, result: "12 s" },
      }),
    );

    for (const said of [
      "<title>Why is it *slow*?</title>",
      "<em>slow</em>",
      "<summary>Thinking</summary>",
      "time npm test",
      "<b>Failed</b>",
      "3 messages.",
    ]) {
      expect(page).toContain(said);
    }
  });

  it("contains only its own tags, whatever a session says", async () => {
    const characters = fc.string({
      unit: fc.constantFrom(..."<>&\"'`=/ \n[](!)*#|-x:\u0000"),
      maxLength: 60,
    });
    const words = fc.constantFrom(
      "<script>",
      "</pre>",
      "<!--",
      "]]>",
      "javascript:",
      "&#x3c;",
      "x",
    );
    const said = fc
      .array(fc.oneof(characters, words), { maxLength: 8 })
      .map((each) => each.join(""));
    await fc.assert(
      fc.asyncProperty(said, async (value) => {
        const article = await articleOf(
          message(
            "assistant",
            text(value),
            { type: "reasoning", text: value },
            { type: "tool_call", call_id: "c", name: value, params: { [value]: value } },
            {
              ...{ type: "tool_result", call_id: "c", name: value },
              is_failure: false,
              result: value,
            },
          ),
        );
        expect(article.replaceAll(ownTag, "")).not.toMatch(/[<>]/);
        expect(article).not.toMatch(/(?:href|src)="(?!https?:|mailto:|#|data:image\/)/);
      }),
      { numRuns: 300 },
    );
  });

  it("leaves text that is too long to be prose as it is", async () => {
    const long = "*a* ".repeat(30_000);

    expect(await pageOf(message("assistant", text(long)))).toContain(`<pre class="plain">${long}`);
  });

  it("replaces secrets in texts and in tool calls", async () => {
    const key = ["gh", "p_", "Ab3".repeat(12)].join("");
    const messages = [
      message("user", text(`Use ${key}`)),
      message("assistant", { type: "tool_call", call_id: "c", name: "shell", params: { key } }),
    ];
    const pieces = toHtml({ session, messages }, { redactor: createRedactor() });
    const page = (await Array.fromAsync(pieces)).join("");

    expect(page).not.toContain(key);
    expect(page).toContain("[redacted 1: ");
  });

  it("replaces secrets in attached files, however their base64 is written", async () => {
    const key = ["gh", "p_", "Ab3".repeat(12)].join("");
    const plain = Buffer.from(`${"A=1\n".repeat(20)}TOKEN=${key} x\n`).toString("base64");
    const file = (data: object) => ({ type: "file", media_type: "text/plain", data });
    const messages = [
      message("user", file({ type: "bytes", base64: plain })),
      message("user", file({ type: "base64", text: plain.replace(/.{64}/g, "$&\n") })),
      message("user", file({ type: "base64", text: plain.replace(/=+$/, "") })),
    ];
    const pieces = toHtml({ session, messages }, { redactor: createRedactor() });
    const page = (await Array.fromAsync(pieces)).join("");

    expect(page).not.toContain(key);
    expect(page.match(/TOKEN=\[redacted 1: /g)).toHaveLength(3);
  });

  it("does not show the byte order mark of a file", async () => {
    const base64 = Buffer.from("\ufeffA=1").toString("base64");
    const data = { type: "bytes", base64 };

    expect(
      await articleOf(message("user", { type: "file", media_type: "text/plain", data })),
    ).toContain("<code>A=1</code>");
  });

  it("replaces user names in the ids of sub-agents", async () => {
    const shared = { session, messages: [], children: ["s1/home/ada/agent-1"] };
    const pieces = toHtml(shared, { redactor: createRedactor({ userNames: true }) });

    expect((await Array.fromAsync(pieces)).join("")).toContain(
      "<code>s1/home/[redacted 1: user-name]/agent-1</code>",
    );
  });

  it("leaves out and counts records that say nothing", async () => {
    const page = await pageOf(message("user", text("one")), message("system"));

    expect(page).toContain("1 message. 1 record that says nothing is left out.");
  });

  it("says where the content of a message is lost", async () => {
    const page = await pageOf(message("user", text("one")), {
      ...message("assistant"),
      damaged: true,
    });

    expect(page).toContain('<p class="note">What this message held is lost in this store</p>');
    expect(page).toContain("<p>2 messages. Times");
  });
});
