import { basename, join } from "node:path";
import type { JsonValue } from "@pond/canonical";
import type { Reader, Writer } from "@pond/canonical/adapter";
import { jsonlRecords } from "./records.ts";
import { readFolder, type SourceFiles } from "./source-files.ts";

/** One check of one rule. `run` rejects where the adapter breaks it; any test runner will do. */
export type AdapterCase = {
  /** Rule id of the spec. */
  readonly rule: string;
  readonly name: string;
  readonly run: () => Promise<void>;
};

/** A value without members, and where in its record it stands. */
export type Leaf = {
  /** Keys from the record inwards, joined by dots. */
  readonly path: string;
  readonly value: JsonValue;
};

/** What a client wrote, record by record: the file's path -> its records in order. */
export type RecordsOf = (files: SourceFiles) => ReadonlyMap<string, readonly JsonValue[]>;

/** An adapter under test, and what it is tested on. */
export type AdapterKit = {
  /** A reader of one folder; fixtures are copied to such folders, and changed there. */
  readonly reader: (folder: string) => Reader;
  readonly writer: Writer;
  /** Folders, each holding `input`: the client's own folder as the client writes it. */
  readonly fixtures: readonly string[];
  /** How records stand in files. Default: a line each in `.jsonl`; any other file is one. */
  readonly records?: RecordsOf;
  /** False for files that the adapter leaves alone on purpose. Default: it reads all. */
  readonly isIngested?: (path: string) => boolean;
  /** True for files that hold a record a line, which the kit then damages. Default: `.jsonl`. */
  readonly isLineFile?: (path: string) => boolean;
  /** True for a leaf that canonical says by its shape, such as the `tool_use` of a type field. */
  readonly isImplied?: (leaf: Leaf) => boolean;
};

/** A kit with nothing left out. */
export type CompleteKit = Required<AdapterKit>;

export function complete(kit: AdapterKit): CompleteKit {
  return {
    records: jsonlRecords,
    isIngested: () => true,
    isLineFile: (path) => path.endsWith(".jsonl"),
    isImplied: () => false,
    ...kit,
  };
}

/** One fixture, its files read when asked for. */
export type Fixture = {
  readonly name: string;
  readonly load: () => Promise<SourceFiles>;
};

export function fixturesOf({ fixtures, isIngested }: CompleteKit): readonly Fixture[] {
  return fixtures.map((folder) => ({
    name: basename(folder),
    load: async () => {
      const files = await readFolder(join(folder, "input"));
      return new Map([...files].filter(([path]) => isIngested(path)));
    },
  }));
}
