import { eq, type Filter, or, prefix } from "@pond/substrate";

/** Matches rows of this project and of folders below it. */
export function projectFilter(project: string): Filter {
  const folder = trimSeparator(project);
  return or(
    eq("project", folder),
    ...folderPrefixes(folder).map((start) => prefix("project", start)),
  );
}

/** The same decision as {@link projectFilter}, for one value. */
export function isInProject(own: string, project: string): boolean {
  const folder = trimSeparator(project);
  return own === folder || folderPrefixes(folder).some((start) => own.startsWith(start));
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
