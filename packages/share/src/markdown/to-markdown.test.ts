import createMarkdown from "markdown-it";
import { describe, expect, it } from "vitest";
import { createRedactor, type SharedMessage, type SharedSession, toMarkdown } from "../index.ts";

const session = {
  id: "s1",
  source_agent: "codex",
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
  return (await Array.fromAsync(toMarkdown({ session, messages }))).join("");
}

/** What a viewer that lets tags through makes of it. */
const viewed = (page: string): string => createMarkdown({ html: true }).render(page);

describe("a Markdown page", () => {
  it("has the session's title, without secrets, as its heading", async () => {
    const secret = ["gh", "p_", "4dCk9vW2mQx7Tz1LrB8nHs3JfYp6Ga0EuXoR"].join("");
    const title = `*rotate*\n${secret}`;
    const shared = { session, title, messages: [message("user", text("Why?"))] };
    const options = { redactor: createRedactor() };

    const page = (await Array.fromAsync(toMarkdown(shared, options))).join("");

    expect(page.split("\n")[0]).toMatch(/^# \\\*rotate\\\* \S/);
    expect(page).not.toContain(secret.slice(0, 20));
  });

  it("shows the text of a message that comes without its parts", async () => {
    const at = "2026-03-04T08:00:01Z";
    const page = await pageOf(
      { id: "m1", role: "user", timestamp: at, text: "Why?" },
      { id: "m2", role: "tool", timestamp: at },
      { id: "m3", role: "assistant", timestamp: at, text: "Because." },
    );

    expect(page).toContain("# Why?");
    expect(page).toContain("Because.");
    expect(page).not.toContain("Tool");
  });

  it("shows messages in order, with long results folded", async () => {
    const page = await pageOf(
      message("user", text("Why?\nAnd since when?")),
      message("assistant", text("## Because\n\n- of *this*"), {
        ...{ type: "tool_call", call_id: "c", name: "shell" },
        params: { command: "git log" },
      }),
      message("tool", {
        ...{ type: "tool_result", call_id: "c", name: "shell", is_failure: false },
        result: "line\n".repeat(40),
      }),
    );

    expect(page.split("\n").filter((line) => /^(?:#{1,3} |<details>|\*\*)/.test(line))).toEqual([
      "# Why? And since when?",
      "## User, 2026-03-04 08:00:01",
      "## Assistant, 2026-03-04 08:00:01",
      "**shell** `git log`",
      "### Tool, 2026-03-04 08:00:01",
      "<details><summary>Result of shell, 40 lines</summary>",
    ]);
    expect(page).toContain("Why?  \nAnd since when?");
    expect(page).toContain("- of *this*");
  });

  it.each(["ftp://ftp.example.com/a", "//cdn.example.com/a.js"])(
    "leaves Markdown that names %s, which some viewers link, as it is",
    async (address) => {
      const said = `**see** ${address} and \`more\``;
      const page = await pageOf(message("user", text("a")), message("assistant", text(said)));

      expect(page.split("\n")).toContain(said);
      expect(page).not.toContain("```");
    },
  );

  it.each([
    "see https://host/x<img src=x onerror=alert(1)>",
    "see https://host/x`<img src=x>`",
    "https://host/`a`<script>alert(1)</script>",
    "[a](https://host)https://host/![a](https://other/a.png)<b>",
  ])("shows no tags even if a viewer turns addresses into links: %s", async (said) => {
    const page = await pageOf(
      message("user", text(said)),
      message("assistant", text(`- ${said}`), {
        ...{ type: "tool_call", call_id: "c", name: said },
        params: { command: "a" },
      }),
    );

    const shown = createMarkdown({ html: true, linkify: true }).render(page);

    expect(shown.match(/<(?:img|script|b)\b/g)).toBeNull();
    expect(viewed(page).match(/<(?:img|script|b)\b/g)).toBeNull();
  });

  it.each([
    "<script>x</script>",
    '<img src=x onerror="x">',
    "</details><iframe src=x>",
    "<!-- all that follows",
    "[a](javascript:x) ![b](https://example.com/b.png)",
    "[a]\n\n[a]: javascript:x",
    "<https://example.com><javascript:x>",
    "````\n</details>\n<script>x</script>",
  ])("lets no part of a message become more than text: %j", async (attack) => {
    const seen = viewed(
      await pageOf(
        message("user", text(attack)),
        message("assistant", text(attack), { type: "reasoning", text: attack }),
        message("assistant", {
          ...{ type: "tool_call", call_id: "c", name: attack },
          params: { [attack]: attack },
        }),
        message("user", {
          ...{ type: "text", text: "x", provenance: "injected" },
          options: { source: { kind: attack } },
        }),
        message("tool", {
          ...{ type: "tool_result", call_id: "c", name: attack, is_failure: false },
          result: `${attack}\n`.repeat(40),
        }),
        message("user", {
          ...{ type: "file", media_type: "text/plain", file_name: attack },
          data: { type: "base64", text: Buffer.from(attack).toString("base64") },
        }),
        message("assistant", text("The last words.")),
      ),
    );

    expect(seen).not.toMatch(/<(?:script|img|iframe|!--)/);
    expect(seen).not.toMatch(/href="(?!https:\/\/example\.com)/);
    expect(seen.match(/<details>/g)?.length).toBe(seen.match(/<\/details>/g)?.length);
    expect(seen).toContain("<p>The last words.</p>");
  });

  it("folds a result under the tool's name as it is written, not as Markdown", async () => {
    const page = await pageOf(
      message("tool", {
        ...{ type: "tool_result", call_id: "c", name: "read_file <a&b>", is_failure: false },
        result: "line\n".repeat(40),
      }),
    );

    expect(viewed(page)).toContain(
      "<summary>Result of read_file &lt;a&amp;b&gt;, 40 lines</summary>",
    );
  });

  it("replaces user names in the ids of sub-agents", async () => {
    const shared = { session, messages: [], children: ["s1/home/ada/agent-1"] };
    const pieces = toMarkdown(shared, { redactor: createRedactor({ userNames: true }) });

    expect((await Array.fromAsync(pieces)).join("")).toContain(
      "- Sub-agents: `s1/home/[redacted 1: user-name]/agent-1`",
    );
  });

  it("says where the content of a message is lost", async () => {
    const page = await pageOf({ ...message("assistant"), damaged: true });

    expect(page).toContain("*What this message held is lost in this store*");
    expect(page).toContain("1 message. Times");
  });

  it("fences text with more backticks than the text holds", async () => {
    const page = await pageOf(
      message("assistant", {
        ...{ type: "tool_result", call_id: "c", name: "cat", is_failure: false },
        result: "```\n`````\nend",
      }),
    );

    expect(page).toContain("``````\n```\n`````\nend\n``````");
  });

  it("lets no heading in a message become a heading of the page", async () => {
    const seen = viewed(await pageOf(message("assistant", text("# One\n\nTwo\n===\n\n## Three"))));

    expect(seen.match(/<h1>/g)).toHaveLength(1);
    expect(seen.match(/<h2>/g)).toHaveLength(1);
  });
});
