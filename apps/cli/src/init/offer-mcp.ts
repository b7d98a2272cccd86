import type { Context } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { say, shown, shownLine } from "../output/shown.ts";
import { tell } from "../output/tell.ts";
import type { Asker } from "./ask.ts";
import { sayBackup } from "./configure.ts";
import { printDiff } from "./line-diff.ts";
import { planMcp, type Registration, register } from "./register-mcp.ts";

/** How things are offered. */
export type Offer = {
  readonly isDry: boolean;
  /** Undefined if nobody is to be asked. */
  readonly asker: Asker | undefined;
  readonly signal: AbortSignal;
};

/** Shows what would be registered with which client, and does so unless it is refused. */
export async function offerMcp(
  context: Context,
  chosen: readonly string[],
  { isDry, asker, signal }: Offer,
): Promise<Registration[]> {
  const { output, home } = context;
  const plans = await planMcp(context, chosen);
  const planned = plans.filter(({ is }) => is.state === "planned");
  if (!output.isJson) {
    if (plans.length > 0) output.line(shown("Search for agents, over MCP:"));
    for (const { is } of planned)
      printDiff(output, `${is.client}: ${shortenHome(is.file, home)}`, is.diff);
  }
  const names = planned.map(({ is }) => is.client).join(", ");
  const isWanted =
    planned.length === 0 ||
    ((await asker?.confirm(`Let ${names} search what pond stores?`)) ?? true);
  const done: Registration[] = [];
  for (const plan of plans) {
    signal.throwIfAborted();
    const isLeft = isDry || !isWanted;
    const registration = isLeft ? plan.is : await register(context, plan);
    done.push(registration);
    if (!output.isJson) sayRegistration(context, registration, isDry);
  }
  return done;
}

function sayRegistration(
  context: Context,
  { client, state, replaces, backup, message }: Registration,
  isDry: boolean,
): void {
  const { output, home } = context;
  const told: Readonly<Record<Registration["state"], string>> = {
    planned: isDry ? "to be registered" : "not registered",
    registered: replaces
      ? "registered again, in place of what pond registered before"
      : "registered",
    already: "already registered",
    other: "has a server called pond already, which is left as it is",
    manual: "not registered",
    failed: "failed",
  };
  const line = say`${shown(client)}: ${shown(told[state])}`;
  const why =
    message === null ? shown("") : say`: ${shownLine(message.replaceAll(`${home}/`, "~/"))}`;
  if (state === "failed") output.warn(say`${line}${why}`);
  else if (state === "manual" && message !== null) {
    // Meant to be copied, so it has a line of its own.
    const [reason = "", run = ""] = message.split(/(?<=; run) (.*)/s);
    tell(output, say`${line}: ${shownLine(reason)}`, shown("  "));
    output.line(say`    ${shownLine(run)}`);
  } else tell(output, say`${line}${why}`, shown("  "));
  sayBackup(context, backup);
}
