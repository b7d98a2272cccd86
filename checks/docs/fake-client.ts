// The command of a client, as far as `pond init` needs it: `mcp add` and `mcp remove` change the
// client's file as the real ones do.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [client, , verb, ...rest] = process.argv.slice(2);
const [command, ...args] = rest.slice(rest.indexOf("--") + 1);
const home = process.env["HOME"] ?? "";
const files: Readonly<Record<string, string>> = {
  claude: join(home, ".claude.json"),
  codex: join(home, ".codex/config.toml"),
};
const file = files[client ?? ""];

if (file === undefined) throw new Error(`${client} is not played here`);
const text = existsSync(file) ? readFileSync(file, "utf8") : "";
writeFileSync(file, client === "claude" ? inJson(text || "{}") : inToml(text));

function inJson(text: string): string {
  const { mcpServers = {}, ...state } = JSON.parse(text);
  const { pond: _, ...others } = mcpServers;
  const own = verb === "add" ? { pond: { type: "stdio", command, args, env: {} } } : {};
  return JSON.stringify({ ...state, mcpServers: { ...others, ...own } });
}

function inToml(text: string): string {
  const others = text.replace(/\n\[mcp_servers[\s\S]*/, "");
  const own = `\n[mcp_servers.pond]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
  return verb === "add" ? others + own : others;
}
