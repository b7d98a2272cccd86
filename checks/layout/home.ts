import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { startOf } from "../../apps/cli/src/testing-start.ts";

const samples = resolve("fixtures/samples");

/** Where the clients keep their sessions, below the home. */
const folders = {
  "claude-code": ".claude",
  codex: ".codex",
  opencode: ".local/share/opencode",
  pi: ".pi/agent",
  omp: ".omp/agent",
} as const;

/**
 * Stand-ins for programs that would change this machine, or might not be on it. They change the
 * files of the home as the real programs do.
 */
const programs = {
  systemctl: `case $2 in
  is-enabled) [ -e "$HOME/.enabled" ] ;;
  enable) : >"$HOME/.enabled" ;;
  disable) /bin/rm -f "$HOME/.enabled" ;;
  show) echo "Sat 2026-11-21 12:17:00 UTC" ;;
esac`,
  crontab: "exit 9",
  launchctl: "exit 9",
  claude: `exec "$POND_TEST_NODE" "$HOME/bin/client.mjs" claude "$@"`,
  codex: `exec "$POND_TEST_NODE" "$HOME/bin/client.mjs" codex "$@"`,
} as const;

const client = `import { existsSync, readFileSync, writeFileSync } from "node:fs";
const [client, , verb, ...rest] = process.argv.slice(2);
const [command, ...args] = rest.slice(rest.indexOf("--") + 1);
const home = process.env.HOME;
if (client === "claude") {
  const file = home + "/.claude.json";
  const state = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const { pond, ...others } = state.mcpServers ?? {};
  const own = verb === "add" ? { pond: { type: "stdio", command, args, env: {} } } : {};
  writeFileSync(file, JSON.stringify({ ...state, mcpServers: { ...others, ...own } }));
} else {
  const file = home + "/.codex/config.toml";
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const own = "\\n[mcp_servers.pond]\\ncommand = " + JSON.stringify(command) + "\\nargs = " + JSON.stringify(args) + "\\n";
  const others = text.replace(/\\n\\[mcp_servers[^]*/, "");
  writeFileSync(file, verb === "add" ? others + own : others);
}
`;

/** A throw-away home with sessions of five clients. Its PATH holds only the real command. */
export type Home = {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Writes a file below the home. */
  write(path: string, text: string): string;
  remove(): void;
};

export function createHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), "pond-layout-"));
  const write = (path: string, text: string): string => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const start = startOf("main").map((word) => `"${word}"`);
  const pond = `exec "$POND_TEST_NODE" ${start.join(" ")} "$@"`;
  write("bin/client.mjs", client);
  for (const [name, script] of Object.entries({ ...programs, pond })) {
    chmodSync(write(`bin/${name}`, `#!/bin/sh\n${script}\n`), 0o755);
  }
  return {
    folder,
    env: {
      PATH: join(folder, "bin"),
      HOME: folder,
      // One cache for all homes; otherwise each would compile the engine's bindings again.
      XDG_CACHE_HOME: join(tmpdir(), `pond-cli-tests-${process.getuid?.() ?? 0}`),
      POND_TEST_NODE: process.execPath,
      TZ: "UTC",
    },
    write,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Puts the samples where their clients would keep them. */
export function addClients({ folder }: Home): void {
  for (const [name, place] of Object.entries(folders)) {
    cpSync(join(samples, name), join(folder, place), { recursive: true });
  }
}

/** Codes that a terminal would obey: colours, a cleared screen, a hidden cursor, another title. */
const hostile = "\x1b[31mred\x1b[2J\x1b[?25l\x1b[?1049h\x1b]0;taken\x07\r\x9b5A\u202etxet\u0008";

/** Sessions whose titles and folders are wide, long, or hostile. Each mentions the heron. */
const hard: readonly (readonly [folder: string, text: string])[] = [
  [
    "/work/池塘/苍鹭",
    "苍鹭站在芦苇丛中，the heron stood still，等待着小鱼游过它的脚边，天色渐渐暗了",
  ],
  [
    "/work/emoji-🐟",
    "🐟🐟 the heron 🎣 caught one 😀 and 👍 left 🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊",
  ],
  ["/work/cafe\u0301", "the he\u0301ron e\u0301te\u0301 no\u0308el heron a\u030a and n\u0303"],
  ["/work/בריכה", "האנפה the heron עמדה בתוך קני הסוף וחיכתה בסבלנות רבה עד רדת החשכה על האגם"],
  [
    "/work/a-company-with-a-long-name/a-department/a-team/a-very-long-project-name-indeed/packages/reeds",
    `the heron ${"stood in the reeds and waited, ".repeat(10)}`.slice(0, 300),
  ],
  ["/work/one-word", `heron-${"x".repeat(300)}`],
  ["/work/hostile", `${hostile} the heron ${hostile}`],
];

/** The id of the session at a place in the list above. */
export function hardSession(at: number): string {
  return `${at}e551000-0000-4000-8000-0000000000${at + 10}`;
}

export function addHardSessions({ write }: Home): void {
  for (const [at, [cwd, text]] of hard.entries()) {
    const id = hardSession(at);
    const line = (uuid: string, parentUuid: string | null, role: string, content: unknown) =>
      JSON.stringify({
        ...{ type: role, uuid, parentUuid, sessionId: id, cwd, version: "2.1.220" },
        ...{ timestamp: `2026-10-0${at + 1}T09:00:00.000Z`, message: { role, content } },
      });
    const lines = [
      line(`${at}-a`, null, "user", text),
      line(`${at}-b`, `${at}-a`, "assistant", [{ type: "text", text: `Heard: ${text}` }]),
    ];
    write(`.claude/projects/-hard-${at}/${id}.jsonl`, `${lines.join("\n")}\n`);
  }
}
