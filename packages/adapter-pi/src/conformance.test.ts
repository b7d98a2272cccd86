import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AdapterKit, adapterCases } from "@pond/adapter-testkit";
import { describe, test } from "vitest";
import { fromOmp, fromPi } from "./from-pi.ts";
import { ompProblems, piProblems } from "./problems.ts";
import { toOmp, toPi } from "./to-pi.ts";

const folder = fileURLToPath(new URL("../../../fixtures", import.meta.url));

type Client = Pick<AdapterKit, "reader" | "writer" | "problems">;

function kit(client: string, adapter: Client) {
  // A client migrates a file as a whole; written line by line it would not be one that was.
  const exclude = ["pi/version-1-migrated"];
  const inputs = globSync(`${client}/*/input`, { cwd: folder, exclude }).sort();
  return adapterCases({
    ...adapter,
    fixtures: inputs.map((input) => join(folder, dirname(input))),
    // What extensions are called follows from the version of the file.
    isImplied: ({ path, value }) => path === "message.role" && value === "hookMessage",
  });
}

describe("pi", () => {
  test.each([...kit("pi", { reader: fromPi, writer: toPi, problems: piProblems })])(
    "$rule: $name",
    ({ run }) => run(),
  );
});

describe("omp", () => {
  test.each([...kit("omp", { reader: fromOmp, writer: toOmp, problems: ompProblems })])(
    "$rule: $name",
    ({ run }) => run(),
  );
});
