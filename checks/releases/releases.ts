/** The releases to examine if none is named: about those that changed what a client writes. */
export const releases: readonly string[] = [
  ...named("claude-code", "0.2.126 1.0.0 1.0.24 1.0.67 1.0.128 2.0.0 2.0.20 2.0.42 2.0.76"),
  ...named("claude-code", "2.1.12 2.1.37 2.1.83 2.1.132 2.1.187 2.1.242 2.1.300 2.1.332"),
  ...named("codex", "0.25.0 0.34.0 0.40.0 0.63.0 0.79.0 0.98.0 0.110.0 0.121.0 0.131.0 0.140.0"),
  ...named("codex", "0.145.0 0.152.0 0.159.0 0.163.0 0.171.0"),
  ...named("opencode", "0.5.29 1.0.0 1.1.34 1.2.4 1.3.2 1.14.34 1.17.11 1.18.33"),
  ...named("pi", "0.13.2 0.27.9 0.31.1 0.49.3 0.67.68 0.78.1 0.86.1 1.3.0 1.6.0"),
  ...named("omp", "13.19.0 14.9.9 17.2.15 17.3.5 18.1.16 18.2.3"),
];

function named(client: string, versions: string): string[] {
  return versions.split(" ").map((version) => `${client}@${version}`);
}
