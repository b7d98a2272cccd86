export { installFromNpm, type NpmProgram } from "./install.ts";
