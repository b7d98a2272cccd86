import { readFile } from "node:fs/promises";
import { isJsonObject, type JsonValue, parseJson } from "@pond/canonical";

/** What a fixture says about its own texts, in `expected.json` beside `input`. */
export type Expected = {
  /** Texts that a human typed or a model said, in source order: conversational parts hold them. */
  readonly typed: readonly string[];
  /** Texts that the client inserted: canonical holds them, and no conversational part does. */
  readonly injected: readonly string[];
};

/** @throws {TypeError} if the file exists but is something else. */
export async function readExpected(file: string): Promise<Expected> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "{}";
    throw error;
  });
  const value = parseJson(text);
  const known = isJsonObject(value) ? value : {};
  const other = Object.keys(known).find((key) => key !== "typed" && key !== "injected");
  if (!isJsonObject(value) || other !== undefined) {
    throw new TypeError(`${file}: expected an object of "typed" and "injected"`);
  }
  return { typed: texts(file, value["typed"]), injected: texts(file, value["injected"]) };
}

function texts(file: string, value: JsonValue = []): readonly string[] {
  if (Array.isArray(value) && value.every(isNonEmptyText)) return value;
  throw new TypeError(`${file}: expected lists of texts, none of them empty`);
}

function isNonEmptyText(value: JsonValue): value is string {
  return typeof value === "string" && value !== "";
}
