import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL(".", import.meta.url));
const sources = globSync("**/*.ts", { cwd: folder })
  .filter((file) => !/(^|\/)testing|\.test(-d)?\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(`${folder}${file}`, "utf8") }));

/** What a file imports, types among it. */
function importsOf(text: string): string[] {
  return [...text.matchAll(/from "([^"]+)"|import\("([^"]+)"\)/g)].map(
    ([, one, other]) => one ?? other ?? "",
  );
}

const isTransport = (file: string): boolean => /^(http|mcp)\//.test(file);

test("nothing but the transports imports a transport (spec 7.1)", () => {
  const foreign = /^node:(http|net|tls|stream)|fastify|@modelcontextprotocol|\/(http|mcp)\//;
  const found = sources
    .filter(({ file }) => !isTransport(file))
    .flatMap(({ file, text }) =>
      importsOf(text)
        .filter((each) => foreign.test(each))
        .map((each) => `${file}: ${each}`),
    );

  expect(found).toEqual([]);
});

test("the transports reach the stores through the handlers alone (spec 7.1)", () => {
  const stores =
    /^@pond\/(sessions|search|substrate|embed)|\.\.\/(handlers\/|namespaces|resources)/;
  const found = sources
    .filter(({ file }) => isTransport(file))
    .flatMap(({ file, text }) =>
      importsOf(text)
        .filter((each) => stores.test(each))
        .map((each) => `${file}: ${each}`),
    );

  expect(found).toEqual([]);
});

test("only one file opens stores, and only one reads namespaces (`wire-namespace-resolution`)", () => {
  const opening = sources
    .filter(({ text }) => /\bopenSessions\(/.test(text))
    .map(({ file }) => file);
  const reading = sources
    .filter(({ text }) => /request\.namespace|received\.namespace/.test(text))
    .map(({ file }) => file);

  expect(opening).toEqual(["namespaces.ts"]);
  expect(reading).toEqual(["handlers.ts"]);
});
