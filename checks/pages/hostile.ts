import type { JsonValue } from "@pond/canonical";
import type { SharedMessage, SharedSession } from "@pond/share";

/** Sets `ran` if a script runs. */
const script = "globalThis.ran = true; document.title = 'ran'; alert(1)";
const fetched = "https://fetched.invalid";

const attacks: readonly string[] = [
  `<script>${script}</script>`,
  `<img src=x onerror="${script}"><svg onload="${script}"><iframe src="javascript:${script}">`,
  `</code></pre></details></article></main><script>${script}</script>`,
  `--><!-- ]]> <style>body{display:none}@import url(${fetched}/a.css)</style>`,
  `<meta http-equiv="refresh" content="0;url=${fetched}/m"><base href="${fetched}/">`,
  `<link rel=stylesheet href=${fetched}/b.css><form action=${fetched}><button>send</button></form>`,
  `[click](javascript:${encodeURI(script)}) [data](data:text/html,<script>${script}</script>)`,
  `![remote](${fetched}/i.png "t") <img src="${fetched}/j.png"> ![svg](data:image/svg+xml,<svg/>)`,
  `'" onmouseover='${script}' style="background:url(${fetched}/s)" x="`,
  `"><details open ontoggle="${script}">`,
  "\u001b[31mred\u001b[0m \u0000 \u202egnp.exe \ud800 \u0007 \u009b2J",
  "# A heading\n\nTitle\n=====\n\n| a | b |\n|:-:|--:|\n| wide | cells |\n\n```js\nlet x;\n```\n\n> said",
  `| ${"column | ".repeat(60)}\n|${"-|".repeat(60)}\n| ${"value | ".repeat(60)}`,
  "ש\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd and then English",
  `${"x".repeat(20_000)} ${"[".repeat(5000)}`,
  `http://${"long.".repeat(400)}invalid/${"a/".repeat(500)}`,
];

const deep: JsonValue = JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`);

/** A session that tries every attack on people who open it as a page. */
export function hostileSession(): SharedSession {
  let count = 0;
  const message = (role: SharedMessage["role"], parts: readonly object[]): SharedMessage => {
    count += 1;
    const content = parts.map((part, index) => ({ id: `${count}-${index}`, ...part }));
    const fields = { id: `${count}`, role, timestamp: "2026-03-04T08:00:01Z", content };
    return fields as unknown as SharedMessage;
  };
  const text = (value: string) => ({ type: "text", text: value, provenance: "conversational" });
  const attacked = attacks.flatMap((attack, at) => [
    message("user", [text(attack)]),
    message("assistant", [
      { type: "reasoning", text: attack },
      text(attack),
      { type: "tool_call", call_id: `c${at}`, name: attack, params: { [attack]: attack, deep } },
    ]),
    message("tool", [
      {
        type: "tool_result",
        call_id: `c${at}`,
        name: attack,
        is_failure: at % 2 > 0,
        result: attack,
      },
      file(attack, "text/html", Buffer.from(attack).toString("base64")),
      file(attack, "image/svg+xml", Buffer.from(`<svg onload="${script}"/>`).toString("base64")),
      file(attack, `image/png" onerror="${script}`, "AAAA"),
      { type: "file", media_type: "image/png", data: { type: "url", url: `javascript:${script}` } },
      { type: "file", media_type: "image/png", data: { type: "url", url: `${fetched}/u.png` } },
    ]),
  ]);
  const last = message("assistant", [text("The very last words.")]);
  const [attack = ""] = attacks;
  return {
    session: {
      id: attack,
      source_agent: attack,
      project: attacks.join(" "),
      created_at: "2026-03-04T08:00:00Z",
    } as unknown as SharedSession["session"],
    messages: [...attacked, last],
    children: attacks.slice(0, 3),
  };
}

function file(name: string, media_type: string, base64: string): object {
  return { type: "file", file_name: name, media_type, data: { type: "bytes", base64 } };
}
