import * as v from "valibot";
import type { Variable } from "./variable.ts";
import { type Values, variables } from "./variables.ts";

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that were read. A variable with a problem has no value. */
export type Reading = { readonly values: Partial<Values>; readonly problems: readonly string[] };

const prefix = "POND_";
const maxShown = 100;

/** Reads every `POND_*` variable. An empty one counts as not set. */
export function readEnvironment(env: Environment): Reading {
  const values: Record<string, unknown> = {};
  const problems = unknownNames(env).map(
    // Its value may be a key whose name was spelled wrong.
    (name) => `${name} is not a variable of pond-server; pond-server --help lists them`,
  );
  for (const [name, variable] of Object.entries<Variable<unknown>>(variables)) {
    const given = env[name] || variable.fallback;
    if (given === undefined) continue;
    const { success, output } = v.safeParse(variable.schema, given);
    if (success) values[name] = output;
    else problems.push(`${name} is ${shown(given, variable)}; allowed: ${variable.allowed}`);
  }
  return { values, problems };
}

const secretName = /key|secret|token|password|credential|sas|connection_string/i;
const secretPlaces = /^(AWS|AZURE|GOOGLE|POND)_/;
// Anything shorter keeps no secret, and removing it would make a log unreadable.
const minSecretLength = 8;

/** Every value of the environment that only its owner may know. No log repeats them. */
export function secretsIn(env: Environment): readonly string[] {
  const options = v.safeParse(variables.POND_STORAGE_OPTIONS.schema, env["POND_STORAGE_OPTIONS"]);
  const variablesOf = Object.entries(env).filter(([name]) => secretPlaces.test(name));
  return [...variablesOf, ...Object.entries(options.success ? options.output : {})]
    .filter(([name]) => secretName.test(name))
    .flatMap(([, value = ""]) => (value.length < minSecretLength ? [] : [value]));
}

function unknownNames(env: Environment): string[] {
  const names = Object.keys(env).filter((name) => name.startsWith(prefix) && env[name]);
  return names.filter((name) => !Object.hasOwn(variables, name)).sort();
}

function shown(given: string, { isSecret = false }: Variable<unknown>): string {
  if (isSecret) return "something that is not shown here";
  // The text before the @ of an address and after its ? may be credentials, of any length and with
  // slashes.
  const open = given.replace(/(?<=:\/\/).*@/s, "…@").replace(/\?.*/s, "?…");
  return JSON.stringify(open.length > maxShown ? `${open.slice(0, maxShown)}…` : open);
}
