import { basename, join } from "node:path";
import type { JsonValue } from "@pond/canonical";
import type { Meanings, Reader, Writer } from "@pond/canonical/adapter";
import { type Expected, readExpected } from "./expected.ts";
import { jsonlRecords } from "./records.ts";
import { readFolder, readFolders, type SourceFiles } from "./source-files.ts";

/** One check of one rule. `run` rejects if the adapter breaks it; any test runner will do. */
export type AdapterCase = {
  /** Id of the spec rule. */
  readonly rule: string;
  readonly name: string;
  /** Settles if the rule holds; otherwise rejects and says where it does not. */
  readonly run: () => Promise<void>;
};

/** A value without members, and its place in its record. */
export type Leaf = {
  /** Keys from the outermost inwards, joined by dots. */
  readonly path: string;
  readonly value: JsonValue;
};

/** What a client wrote, record by record: path of the file -> its records in order. */
export type RecordsOf = (files: SourceFiles) => ReadonlyMap<string, readonly JsonValue[]>;

/** What the client would refuse in files, one sentence each; empty if it accepts them. */
export type ProblemsOf = (files: SourceFiles) => readonly string[];

/** How many sessions are generated, and the seed that they all follow from. */
export type Generated = { readonly runs: number; readonly seed: number };

/** An adapter under test, and what it is tested on. */
export type AdapterKit = {
  /**
   * Makes a reader of a folder, or of one session file in it. Fixtures are copied to such folders
   * and changed there.
   */
  readonly reader: (path: string) => Reader;
  readonly writer: Writer;
  /** Folders that each hold `input`: the client's own folder as the client writes it. */
  readonly fixtures: readonly string[];
  /**
   * How records are stored in files. Default: one a line in `.jsonl`; any other file is one record.
   */
  readonly records?: RecordsOf;
  /** False for files that the adapter leaves alone on purpose. Default: it reads all. */
  readonly isIngested?: (path: string) => boolean;
  /** True for files with one record a line, which the kit then damages. Default: `.jsonl`. */
  readonly isLineFile?: (path: string) => boolean;
  /**
   * True for a leaf that canonical expresses by its shape, such as the `tool_use` of a type field.
   */
  readonly isImplied?: (leaf: Leaf) => boolean;
  /**
   * True for a leaf of canonical that the adapter makes on purpose and that no source holds: a
   * keyword or a position under `options.source`. Default: only the keywords of pond's own
   * conventions.
   */
  readonly isDerived?: (leaf: Leaf) => boolean;
  /** True for a text that the client inserts: no conversational part may be one. */
  readonly isInjected?: (text: string) => boolean;
  /**
   * True if the writer itself keeps the files of a hostile session inside the client's folder.
   * Default: it may name a place outside, to which pond then refuses to write.
   */
  readonly keepsInside?: boolean;
  /** The validator of the client's own format, for what the writer writes. */
  readonly problems?: ProblemsOf;
  /**
   * How to interpret other clients' calls. Every foreign case also runs with some of them known.
   */
  readonly meanings?: Meanings;
  /** Default: 50 sessions, the same ones in every run. */
  readonly generated?: Partial<Generated>;
};

/** A kit with nothing left out. */
export type CompleteKit = Required<Omit<AdapterKit, "generated">> & {
  readonly generated: Generated;
};

export function withDefaults(kit: AdapterKit): CompleteKit {
  return {
    records: jsonlRecords,
    isIngested: () => true,
    isLineFile: (path) => path.endsWith(".jsonl"),
    isImplied: () => false,
    isDerived: () => false,
    isInjected: () => false,
    keepsInside: false,
    problems: () => [],
    meanings: {},
    ...kit,
    generated: { runs: 50, seed: 1, ...kit.generated },
  };
}

/** One fixture, whose files are read when asked for. */
export type Fixture = {
  readonly name: string;
  readonly load: () => Promise<SourceFiles>;
  /**
   * The folder at earlier times, the oldest first and the present state last; for clients that
   * rewrite.
   */
  readonly states: () => Promise<readonly SourceFiles[]>;
  readonly expected: () => Promise<Expected>;
};

export function fixturesOf({ fixtures, isIngested, records }: CompleteKit): readonly Fixture[] {
  const ingested = (files: SourceFiles): SourceFiles =>
    new Map([...files].filter(([path]) => isIngested(path)));
  return fixtures.map((folder) => {
    const input = join(folder, "input");
    const load = async () => {
      const files = ingested(await readFolder(input));
      // Every law would hold of nothing.
      if ([...records(files).values()].flat().length > 0) return files;
      throw new Error(
        `${input} holds no record, so nothing is checked: see isIngested and records`,
      );
    };
    return {
      name: basename(folder),
      load,
      states: async () => {
        const earlier = await readFolders(join(folder, "growth"));
        return [...earlier.map(ingested), await load()];
      },
      expected: () => readExpected(join(folder, "expected.json")),
    };
  });
}
