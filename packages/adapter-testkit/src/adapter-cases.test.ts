import { describe, expect, test } from "vitest";
import { adapterCases } from "./adapter-cases.ts";
import { fromDemo, toDemo } from "./demo-adapter.ts";
import type { AdapterKit } from "./kit.ts";

const fixtures = ["plain", "odd"].map((name) => `${import.meta.dirname}/../fixtures/${name}`);
const demo: AdapterKit = { reader: fromDemo, writer: toDemo, fixtures };

describe("an adapter that keeps the rules", () => {
  test.each([...adapterCases(demo)])("$rule: $name", ({ run }) => run());
});
