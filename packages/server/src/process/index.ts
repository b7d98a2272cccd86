export { startLean } from "./lean.ts";
