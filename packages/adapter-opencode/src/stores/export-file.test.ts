import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentOf, findSessions, readAll, restoredFiles } from "@pond/adapter-testkit";
import { describe, expect, it } from "vitest";
import { fromOpencode } from "../from-opencode.ts";
import { createHome, start } from "../home.test-kit.ts";
import { toOpencode } from "../to-opencode.ts";

const time = { created: start, updated: start };
const exported = {
  info: { id: "ses_a", directory: "/home/ada/löom", time },
  messages: [
    {
      info: { id: "msg_1", sessionID: "ses_a", role: "user", time },
      parts: [
        { id: "prt_1", sessionID: "ses_a", messageID: "msg_1", type: "text", text: "Why? 織機" },
      ],
    },
  ],
};
const json = JSON.stringify(exported, null, 2);
const notice = "Exporting session: ses_a";

describe("an export that a shell wrote to a file", () => {
  it.each<[string, Buffer]>([
    ["after a message of the client", Buffer.from(`${notice}\n${json}`)],
    ["after a message of the client on the same line", Buffer.from(`${notice}${json}`)],
    [
      "after a message about the latest session",
      Buffer.from(`Exporting session: latest\r\n${json}`),
    ],
    [
      "after a byte order mark and a message of the client",
      Buffer.from(`\ufeff${notice}\n${json}`),
    ],
    ["in UTF-16", Buffer.from(`\ufeff${json}`, "utf16le")],
    [
      "in UTF-16, after a message of the client",
      Buffer.from(`\ufeff${notice}\r\n${json}`, "utf16le"),
    ],
  ])("is read %s", async (_, bytes) => {
    const home = createHome();
    writeFileSync(join(home, "yesterday.json"), bytes);
    const reader = fromOpencode(home);

    const { sessions, faults } = await findSessions(reader);
    const root = contentOf(await readAll(reader, "yesterday.json"));
    const files = restoredFiles(toOpencode.writeNative({ root, descendants: [] }));

    expect([sessions.map(({ key }) => key), faults]).toEqual([["yesterday.json"], []]);
    const restored = Buffer.from(files.get("yesterday.json") ?? "").toString();
    expect(JSON.parse(restored)).toEqual(exported);
  });

  it("is not listed beside the same session in a store", async () => {
    const home = createHome({
      "storage/session/global/ses_a.json": exported.info,
      "exports/a.json": `${notice}\n${json}`,
    });

    const { sessions } = await findSessions(fromOpencode(home));

    expect(sessions.map(({ key }) => key)).toEqual(["ses_a"]);
  });

  it.each([
    ["UTF-8", [0x7b, 0xff]],
    ["UTF-16LE", [0xff, 0xfe, 0x00, 0xd8]],
  ])("is reported if its bytes are no %s", async (name, bytes) => {
    const home = createHome();
    writeFileSync(join(home, "ses_a.json"), Uint8Array.from(bytes));

    const [event] = await readAll(fromOpencode(home), "ses_a.json");

    expect(event?.kind === "fault" && event.fault.details.reason).toBe(
      `not JSON: not valid ${name}`,
    );
  });
});
