import { eq, type Filter, or, prefix } from "@pond/substrate";

/** Matches rows of this project and of folders below it. */
export function projectFilter(project: string): Filter {
  const folder = withoutEnd(project);
  return or(eq("project", folder), ...below(folder).map((start) => prefix("project", start)));
}

/** The same decision as {@link projectFilter}, for one value. */
export function isInProject(own: string, project: string): boolean {
  const folder = withoutEnd(project);
  return own === folder || below(folder).some((start) => own.startsWith(start));
}

/**
 * The folder itself: shells complete its name with a separator at the end. A root is nothing else.
 */
function withoutEnd(project: string): string {
  return project.replace(/(?<=[^/\\:])[/\\]$/, "");
}

/** The beginnings of folders below, on either kind of system. */
function below(project: string): string[] {
  return /[/\\]$/.test(project) ? [project] : [`${project}/`, `${project}\\`];
}
