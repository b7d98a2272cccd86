import { join } from "node:path";
import { installFromNpm } from "@pond/npm-testkit";
import { createThrowAwayHome } from "./throw-away-home.ts";

/** Path of the MCP inspector. */
export async function installInspector(): Promise<string | undefined> {
  const version = "2.12.0";
  const program = join(".bin", "mcp-inspector");
  const modules = await installFromNpm({
    name: `mcp-inspector-${version}`,
    packages: [`@modelcontextprotocol/inspector@${version}`],
    program,
  });
  return modules && join(modules, program);
}

/** A server, as arguments of the inspector: flags, then its command or its address. */
export type InspectedServer = {
  readonly flags: readonly string[];
  readonly target: readonly string[];
};

/** Sends one request. @throws {Error} with the inspector's output, if it complains. */
export async function inspect(
  inspector: string,
  { flags, target }: InspectedServer,
  method: string,
  ...options: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server answers.
): Promise<{ readonly result: any; readonly stderr: string }> {
  const home = createThrowAwayHome();
  try {
    const asked = ["--cli", "--format", "json", "--method", method, ...options];
    const { stdout, stderr } = await home.run(inspector, [...asked, ...flags, "--", ...target]);
    return { result: JSON.parse(stdout).result, stderr };
  } finally {
    home.remove();
  }
}
