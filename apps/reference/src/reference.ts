import { join } from "node:path";
import {
  Application,
  Comment,
  type DeclarationReflection,
  Logger,
  LogLevel,
  type ParameterReflection,
  type ProjectReflection,
  ReferenceType,
  ReflectionKind,
  type ValidationOptions,
} from "typedoc";
import { load as markdown } from "typedoc-plugin-markdown";
import { type Published, publishedPackages, root } from "./packages.ts";

/** The kinds of exported names that need a docstring; fields need none. */
const documented = [
  "Function",
  "Class",
  "Interface",
  "TypeAlias",
  "Variable",
  "Enum",
  "Method",
  "Accessor",
] as const;

const unchecked: ValidationOptions = {
  notExported: false,
  invalidLink: false,
  invalidPath: false,
  rewrittenLink: false,
  notDocumented: false,
  unusedMergeModuleWith: false,
};

class Warnings extends Logger {
  readonly all: string[] = [];

  override log(message: string, level: LogLevel): void {
    if (level >= LogLevel.Warn) this.all.push(message);
  }
}

/** The API reference of the published packages, and what is wrong with it. */
export type Reference = {
  /**
   * Exports without a docstring, types that are used but cannot be named, links that lead nowhere.
   */
  readonly warnings: readonly string[];
  /** Writes the pages as Markdown; the folder is emptied first. */
  readonly write: (folder: string) => Promise<void>;
};

/** Reads the docstrings of everything that the published packages export. */
export async function readReference(): Promise<Reference> {
  const packages = publishedPackages();
  const app = await Application.bootstrapWithPlugins({
    plugin: [markdown],
    logLevel: "Warn",
    entryPoints: packages.flatMap(({ entries }) => [...entries.values()]),
    tsconfig: join(root, "apps", "reference", "tsconfig.json"),
    basePath: root,
    disableGit: true,
    sourceLinkTemplate: "/packages/{path}#L{line}",
    readme: "none",
    // `tsc` has checked them, with the compiler that builds the packages.
    skipErrorChecking: true,
    name: "API reference",
    excludePrivate: true,
    requiredToBeDocumented: [...documented],
    packagesRequiringDocumentation: packages.map(({ name }) => name),
  });
  app.options.setValue("outputFileStrategy", "modules");
  app.options.setValue("expandObjects", true);
  const warnings = new Warnings();
  app.logger = warnings;
  const project = await app.convert();
  if (!project) return { warnings: warnings.all, write: () => Promise.resolve() };
  nameModules(project, packages);
  nameParameters(project);
  validate(app, project, packages);
  return {
    warnings: warnings.all,
    write: (folder) => app.outputs.writeOutput({ name: "markdown", path: folder }, project),
  };
}

/** Names modules by how they are imported, not by the place of the file. */
function nameModules(project: ProjectReflection, packages: readonly Published[]): void {
  const modules = new Map<string | undefined, DeclarationReflection>();
  for (const module of project.children ?? [])
    modules.set(module.sources?.[0]?.fullFileName, module);
  for (const { description, entries } of packages) {
    for (const [specifier, file] of entries) {
      const module = modules.get(file);
      if (!module) continue;
      module.name = specifier;
      module.comment = new Comment([{ kind: "text", text: description }]);
    }
  }
}

/**
 * A parameter that is destructured where it is declared has no name, so it gets that of its type.
 */
function nameParameters(project: ProjectReflection): void {
  for (const parameter of project.getReflectionsByKind(ReflectionKind.Parameter)) {
    if (!parameter.name.startsWith("__namedParameters")) continue;
    const { type } = parameter as ParameterReflection;
    const typeName = type instanceof ReferenceType ? type.name : "Options";
    const [last = "options"] = /[A-Z][a-z]*$/.exec(typeName) ?? [];
    parameter.name = last.toLowerCase();
  }
}

function validate(
  app: Application,
  project: ProjectReflection,
  packages: readonly Published[],
): void {
  const check = (checks: Partial<ValidationOptions>) => {
    app.options.setValue("validation", { ...unchecked, ...checks });
    app.validate(project);
  };
  check({ notDocumented: true, invalidLink: true, invalidPath: true });
  // TypeDoc asks this about only one package: the one that the project is named after.
  for (const { name } of packages) {
    project.packageName = name;
    check({ notExported: true });
  }
}
