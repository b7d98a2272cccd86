import { cpSync, globSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Example, examplesOf } from "../examples.ts";
import type { CompilerOptions, Consumer } from "./consumer.ts";
import { workspacePackages } from "./packages.ts";

/** An example of the documentation as a file of a consumer. */
export type ExampleFile = Example & {
  /** The folder in which it runs, below the consumer. Its paths start there. */
  readonly folder: string;
  /** Its file in that folder. */
  readonly file: string;
};

/**
 * Writes the examples of all pages into a consumer, as a user would who tries them. Examples that
 * use unpublished packages are only for this repository, and are left out.
 */
export function writeExamples(consumer: Consumer): readonly ExampleFile[] {
  symlinkSync(resolve("fixtures"), join(consumer.folder, "fixtures"));
  const files = globSync(["docs/*.md", "{packages,apps}/*/README.md"])
    .sort()
    .flatMap((page) => examplesOf(page).filter(isForUsers).map(asInstalled))
    .map((example, index) => {
      const [group = "", name = ""] = dirname(example.page).split("/");
      // Paths start in a package, as in checks/readme.test.ts.
      const folder = group === "docs" ? "packages/docs" : join(group, name);
      return { ...example, folder, file: `example-${index}.ts` };
    });
  for (const { folder, file, code } of files) consumer.write(join(folder, file), code);
  // The README of the test kit tests "an adapter of your own".
  for (const each of ["src", "fixtures"]) {
    const folder = join("packages/adapter-testkit", each);
    cpSync(folder, join(consumer.folder, folder), {
      recursive: true,
      filter: (from) => !/\.test|\/broken/.test(from),
    });
  }
  return files;
}

/** Examples are written for a current Node, and as strictly as this repository. */
export const forExamples: CompilerOptions = {
  ...{ module: "nodenext", target: "esnext", exactOptionalPropertyTypes: true },
  allowImportingTsExtensions: true,
};

const unpublished = workspacePackages
  .filter(({ manifest }) => manifest.private === true)
  .map(({ manifest }) => manifest.name);

function isForUsers({ code }: Example): boolean {
  return !unpublished.some((name) => code.includes(`"${name}"`));
}

/** The hosted server is started from source in its README; here it is installed. */
function asInstalled(example: Example): Example {
  const code = example.code.replace(
    '["--conditions=@pond/source", "src/main.ts"]',
    '["../../node_modules/@pond/server-app/dist/main.js"]',
  );
  return { ...example, code };
}
