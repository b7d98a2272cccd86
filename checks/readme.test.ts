import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";

type Example = { readonly readme: string; readonly code: string; readonly printed: string };

const examples: Example[] = globSync("{packages,apps}/*/README.md").flatMap((readme) =>
  [...readFileSync(readme, "utf8").matchAll(/