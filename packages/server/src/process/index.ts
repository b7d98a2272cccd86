export { tuneMemory } from "./tune-memory.ts";
