// The MCP inspector reads a server's answers strictly: it refuses an answer that its own schema
// does not allow, and names schemas that some client could not use.
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHome, type Home, type Served } from "../e2e/pond.ts";
import { type InspectedServer, inspect, installInspector } from "./inspector.ts";

const inspector = (await installInspector()) ?? "";
const ledger = "c5e1b000-3f0a-4d7e-8b21-6a9d4e2f1c02";

let home: Home;
let server: Served;
beforeAll(async () => {
  home = createHome();
  await home.sync(resolve("fixtures", "samples", "claude-code"));
  server = await home.serve();
});
afterAll(async () => {
  await server.stop();
  home.remove();
});

const places: readonly (readonly [string, () => InspectedServer])[] = [
  [
    "stdio",
    () => ({
      flags: Object.entries(home.env).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
      target: [...home.command, "mcp"],
    }),
  ],
  ["Streamable HTTP", () => ({ flags: ["--transport", "http"], target: [server.mcp] })],
];

describe.skipIf(inspector === "").each(places)("the MCP inspector over %s", (_, place) => {
  const ask = (method: string, ...options: readonly string[]) =>
    inspect(inspector, place(), method, ...options);
  const call = async (tool: string, fields: object) => {
    const flags = ["--tool-name", tool, "--tool-args-json", JSON.stringify(fields)];
    return (await ask("tools/call", ...flags)).result;
  };

  test("sees read-only tools, and warns only of the two fields that may hold any JSON", async () => {
    const { result, stderr } = await ask("tools/list", "--strict");

    const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };
    const schemas = { inputSchema: { type: "object" }, outputSchema: { type: "object" } };
    expect(result.tools).toMatchObject([
      { name: "pond_search", annotations, ...schemas },
      { name: "pond_list", annotations, ...schemas },
      { name: "pond_get", annotations, ...schemas },
    ]);
    // The parameters and result of a tool can be any JSON, which the inspector calls careless.
    expect(stderr.match(/Path: .*/g)).toEqual([
      "Path: outputSchema.$defs.Part.oneOf[2].properties.params",
      "Path: outputSchema.$defs.Part.oneOf[3].properties.result",
    ]);
  });

  test("searches, and reads the message that was found", async () => {
    const found = await call("pond_search", { query: "import loses rows" });
    const [{ session_id, matches }] = found.structuredContent.sessions;
    const listed = await call("pond_list", { limit: 1 });
    const read = await call("pond_get", { session_id, message_id: matches[0].message_id });

    expect(session_id).toBe(ledger);
    expect(listed.structuredContent.sessions).toHaveLength(1);
    expect(found.content[0].text).toContain("> Importing the bank's export loses rows");
    expect(read.structuredContent.target).toMatchObject({
      role: "user",
      content: [{ text: expect.stringContaining("Importing the bank's export loses rows") }],
    });
  });

  test("lists and reads both resources", async () => {
    const { resources } = (await ask("resources/list")).result;
    const [schema, stats] = await Promise.all(
      ["schema://pond", "stats://pond"].map(async (uri) => {
        const { contents } = (await ask("resources/read", "--uri", uri)).result;
        return contents[0];
      }),
    );

    expect(resources.map(({ uri }: { uri: string }) => uri)).toEqual([schema.uri, stats.uri]);
    expect(schema).toMatchObject({ uri: "schema://pond", mimeType: "text/markdown" });
    expect(schema.text).toContain("\n- query: ");
    expect(stats).toMatchObject({ uri: "stats://pond", mimeType: "application/json" });
    expect(JSON.parse(stats.text)).toMatchObject({ sessions: 5, messages: 63 });
  });

  test("gets an error when a tool call fails", async () => {
    await expect(call("pond_get", { session_id: "none" })).rejects.toThrow("no session none");
  });
});
