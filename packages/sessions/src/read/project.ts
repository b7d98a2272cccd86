import { eq, type Filter, or, prefix } from "@pond/substrate";

/** Rows of this project and of folders below it. */
export function projectFilter(project: string): Filter {
  return or(eq("project", project), ...below(project).map((start) => prefix("project", start)));
}

/** What {@link projectFilter} decides, for one value. */
export function isInProject(own: string, project: string): boolean {
  return own === project || below(project).some((start) => own.startsWith(start));
}

/** How the folders below begin, on either kind of system. */
function below(project: string): string[] {
  return /[/\\]$/.test(project) ? [project] : [`${project}/`, `${project}\\`];
}
