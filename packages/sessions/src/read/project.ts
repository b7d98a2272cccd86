import { eq, type Filter, or, prefix } from "@pond/substrate";
import type { SessionStore } from "../session-store.ts";

const separator = /[/\\]/;

/** Matches rows of this project and of folders below it, with accents written in either way. */
export function projectFilter(project: string): Filter {
  return or(
    ...writtenForms(project).flatMap((folder) => [
      eq("project", folder),
      ...folderPrefixes(folder).map((start) => prefix("project", start)),
    ]),
  );
}

/** The same decision as {@link projectFilter}, for one value. */
export function isInProject(own: string, project: string): boolean {
  return writtenForms(project).some(
    (folder) => own === folder || folderPrefixes(folder).some((start) => own.startsWith(start)),
  );
}

const maxSimilar = 3;
// A longer path is no help.
const maxShownChars = 300;

/**
 * For a project of which nothing is stored, up to three others: the nearest folder above it that has
 * sessions, and folders of the same name, in any case, with sessions in them or below, those with
 * the most sessions first. People and models are somewhere within a project, or remember `shop`, not
 * where it is, and a folder may have moved.
 *
 * @returns Undefined if sessions of the project are stored.
 */
export async function similarProjects(
  { store }: SessionStore,
  project: string,
): Promise<string[] | undefined> {
  const table = store.table("sessions");
  if ((await table.count(projectFilter(project))) > 0) return undefined;
  const name = project.split(separator).findLast((each) => each !== "");
  if (name === undefined) return [];
  let above = "";
  const sizes = new Map<string, number>();
  for await (const rows of table.scan({ columns: ["project"] })) {
    for (const row of rows) {
      const own = String(row["project"]);
      const isNearer = own.length > above.length && own.length <= maxShownChars;
      if (isNearer && isInProject(project, own)) above = own;
      const folder = folderNamed(name, own);
      if (folder !== undefined) sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
    }
  }
  const largest = [...sizes].sort(([, left], [, right]) => right - left);
  const others = [...(above === "" ? [] : [above]), ...largest.map(([folder]) => folder)];
  return [...new Set(others)].slice(0, maxSimilar);
}

/** The innermost folder of a path that has a name, as a path. */
function folderNamed(sought: string, path: string): string | undefined {
  const names = path.split(separator);
  const at = names.findLastIndex((name) => folded(name) === folded(sought));
  const folder = path.slice(0, names.slice(0, at + 1).join("/").length);
  return at === -1 || folder.length > maxShownChars ? undefined : folder;
}

function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/**
 * The names of one folder: a Mac finds it with `é` as one character or as two, and a client records
 * what the disk has, which is not what a keyboard gives.
 */
function writtenForms(project: string): string[] {
  const folder = trimSeparator(project);
  if (!/[^ -~]/.test(folder)) return [folder];
  return [...new Set([folder, folder.normalize("NFC"), folder.normalize("NFD")])];
}

/**
 * The folder itself: shells complete its name with a separator at the end. A root is nothing else.
 */
function trimSeparator(project: string): string {
  return project.replace(/(?<=[^/\\:])[/\\]$/, "");
}

/** The beginnings of folders below, on either kind of system. */
function folderPrefixes(project: string): string[] {
  return /[/\\]$/.test(project) ? [project] : [`${project}/`, `${project}\\`];
}
