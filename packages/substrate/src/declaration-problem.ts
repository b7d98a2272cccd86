import type { Column, ColumnType, IndexDeclaration, TableDeclaration } from "./declaration.ts";
import { columnName } from "./read/sql.ts";
import { renewalSuffixes } from "./write/renew.ts";

// Names that the engine adds to rows, and those that JavaScript takes for something else.
const reservedNames: ReadonlySet<string> = new Set([
  ...["_rowid", "_rowaddr", "_rowoffset", "_score", "_distance", "__proto__"],
  ...["_row_created_at_version", "_row_last_updated_at_version"],
]);

// The types that the engine can index.
const indexable: Readonly<Record<IndexDeclaration["kind"], readonly string[]>> = {
  btree: ["text", "int64", "timestamp", "float64"],
  bitmap: ["text", "int64", "bytes"],
  "full-text": ["text"],
  vector: ["vector"],
};

/**
 * Why a table could not be made or used as it is declared; undefined if it can. Checked before
 * anything is made: a table made from a mistake could not be opened with the corrected declaration.
 */
export function declarationProblem(table: TableDeclaration): string | undefined {
  return tableProblem(table) ?? columnsProblem(table) ?? keyProblem(table) ?? indexesProblem(table);
}

function tableProblem({ name, schemaVersion, since = 1 }: TableDeclaration): string | undefined {
  // It becomes the name of a folder.
  if (!/^[\w.-]+$/.test(name) || /^\.+$/.test(name)) {
    return "its name can be of letters, digits, _, - and .";
  }
  if (!isVersion(schemaVersion)) return `${schemaVersion} is not a schema version`;
  return isVersion(since) ? undefined : `it is since ${since}, which is not a schema version`;
}

function columnsProblem({ columns }: TableDeclaration): string | undefined {
  for (const [name, column] of Object.entries(columns)) {
    if (!columnName.test(name)) return `column ${name}: a name is of letters, digits and _`;
    if (reservedNames.has(name)) return `no column can be called ${name}`;
    if (nameOf(column.type) === undefined) return `column ${name} is of no type there is`;
    const taken = renewalSuffixes.map((end) => name + end).find((each) => ownColumn(columns, each));
    if (column.isDerived && taken !== undefined) return `column ${taken} is to renew ${name}`;
    const isSparse = column.type === "bytes" || column.type === "text";
    if (column.isSparse && !(isSparse && column.isNullable && !column.isDerived)) {
      return `column ${name} is sparse, so it is of bytes or text, nullable and not derived`;
    }
    const { since = 1 } = column;
    if (!isVersion(since)) return `column ${name} is since ${since}, which is not a schema version`;
    // Rows that were stored before have nothing in it.
    if (since > 1 && !column.isNullable) {
      return `column ${name} came later, with version ${since}, so it is nullable`;
    }
  }
  return undefined;
}

/** Why keys could not be told apart. */
function keyProblem({ primaryKey, columns }: TableDeclaration): string | undefined {
  for (const [at, name] of primaryKey.entries()) {
    const column = ownColumn(columns, name);
    if (column === undefined) return `there is no column ${name} for its key`;
    if (primaryKey.indexOf(name) < at) return `${name} is in its key twice`;
    // For other types, the engine lets concurrent writers store one key twice.
    if (column.type !== "text" && column.type !== "int64" && column.type !== "bytes") {
      return `${name} is of its key, so it can be text, int64 (for times as well) or bytes`;
    }
    if (column.isNullable) return `${name} is of its key, so it cannot be nullable`;
    // A derived column can be emptied.
    if (column.isDerived) return `${name} is of its key, so it cannot be derived`;
  }
  return primaryKey.length === 0 ? "it has no key" : undefined;
}

function indexesProblem({ columns, indexes }: TableDeclaration): string | undefined {
  for (const index of indexes) {
    const { column: name, kind } = index;
    const column = ownColumn(columns, name);
    if (column === undefined) return `there is no column ${name} for its ${kind} index`;
    const types = Object.hasOwn(indexable, kind) ? indexable[kind] : undefined;
    if (types === undefined) return `no index is of the kind ${kind}, as that of ${name}`;
    if (!types.includes(nameOf(column.type) ?? "")) {
      return `column ${name} is not ${types.join(", ")}, so it has no ${kind} index`;
    }
    // In any other index, the marker for no value would be a value.
    if (column.isSparse && kind !== "full-text") {
      return `column ${name} is sparse, so it has no ${kind} index`;
    }
    if (index.kind === "vector" && !(index.distance === "cosine" && index.minRows >= 0)) {
      return `the vector index of ${name} is of a cosine distance and a number of rows`;
    }
  }
  return undefined;
}

function ownColumn(columns: TableDeclaration["columns"], name: string): Column | undefined {
  return Object.hasOwn(columns, name) ? columns[name] : undefined;
}

/** The name of a type; undefined for something that is not a type. */
function nameOf(type: ColumnType): string | undefined {
  switch (type) {
    case "text":
    case "int64":
    case "timestamp":
    case "float64":
    case "bytes":
      return type;
    default:
      return Number.isInteger(type?.vector) && type.vector > 0 ? "vector" : undefined;
  }
}

function isVersion(version: number): boolean {
  return Number.isSafeInteger(version) && version >= 0;
}
