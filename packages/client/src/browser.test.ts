import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** Runs the client without what a browser does not have: Node's modules, `process`, `Buffer`. */
const asInBrowser = `
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(name, context, next) {
      if (name.startsWith("node:")) throw new Error(name + " is of Node alone");
      return next(name, context);
    },
  });
  const { log } = console;
  // Node loads its own half of what browsers have too at the first use.
  Response.json(typeof fetch);
  delete globalThis.process;
  delete globalThis.Buffer;
  delete globalThis.global;
  const { createClient } = await import(${JSON.stringify(resolve(import.meta.dirname, "index.ts"))});
  const answer = { mode: "full_text", total_in_scope: 0, sessions: [], took_ms: 1 };
  const client = createClient({
    url: "http://pond.test",
    fetch: async (url, { body }) => Response.json({ ...answer, asked: [String(url), body] }),
  });
  log(JSON.stringify(await client.search({ query: "lock" })));
`;

it("runs without Node's modules, process and Buffer", async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@pond/source", "--input-type=module", "--eval", asInBrowser],
    { cwd: import.meta.dirname },
  );

  expect(JSON.parse(stdout)).toMatchObject({
    sessions: [],
    asked: ["http://pond.test/v1/search", '{"query":"lock","protocol_version":1}'],
  });
});
