import type { Context } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { printWrapped } from "../output/print-wrapped.ts";
import { safe, safeLine, safeText } from "../output/safe-text.ts";
import type { Asker } from "./ask.ts";
import { printBackup } from "./configure.ts";
import { printDiff } from "./line-diff.ts";
import { planMcp, type Registration, register } from "./register-mcp.ts";

/** How things are offered. */
export type OfferOptions = {
  readonly isDry: boolean;
  /** Undefined if nobody is to be asked. */
  readonly asker: Asker | undefined;
  readonly signal: AbortSignal;
};

/** Shows what would be registered with which client, and does so unless it is refused. */
export async function offerMcp(
  context: Context,
  chosen: readonly string[],
  { isDry, asker, signal }: OfferOptions,
): Promise<Registration[]> {
  const { output, home } = context;
  const plans = await planMcp(context, chosen);
  const planned = plans.filter(({ registration }) => registration.state === "planned");
  if (!output.isJson) {
    if (plans.length > 0) output.line(safeText("Search for agents, over MCP:"));
    for (const { registration } of planned)
      printDiff(
        output,
        `${registration.client}: ${shortenHome(registration.file, home)}`,
        registration.diff,
      );
  }
  const names = planned.map(({ registration }) => registration.client).join(", ");
  const isWanted =
    planned.length === 0 ||
    ((await asker?.confirm(`Let ${names} search what pond stores?`)) ?? true);
  const done: Registration[] = [];
  for (const plan of plans) {
    signal.throwIfAborted();
    const isSkipped = isDry || !isWanted;
    const registration = isSkipped ? plan.registration : await register(context, plan);
    done.push(registration);
    if (!output.isJson) printRegistration(context, registration, isDry);
  }
  return done;
}

function printRegistration(
  context: Context,
  { client, state, replaces, backup, message }: Registration,
  isDry: boolean,
): void {
  const { output, home } = context;
  const stateTexts: Readonly<Record<Registration["state"], string>> = {
    planned: isDry ? "to be registered" : "not registered",
    registered: replaces
      ? "registered again, in place of what pond registered before"
      : "registered",
    already: "already registered",
    other: "has a server called pond already, which is left as it is",
    manual: "not registered",
    failed: "failed",
  };
  const line = safe`${safeText(client)}: ${safeText(stateTexts[state])}`;
  const why =
    message === null ? safeText("") : safe`: ${safeLine(message.replaceAll(`${home}/`, "~/"))}`;
  if (state === "failed") output.warn(safe`${line}${why}`);
  else if (state === "manual" && message !== null) {
    // Meant to be copied, so it has a line of its own.
    const [reason = "", run = ""] = message.split(/(?<=; run) (.*)/s);
    printWrapped(output, safe`${line}: ${safeLine(reason)}`, safeText("  "));
    output.line(safe`    ${safeLine(run)}`);
  } else printWrapped(output, safe`${line}${why}`, safeText("  "));
  printBackup(context, backup);
}
