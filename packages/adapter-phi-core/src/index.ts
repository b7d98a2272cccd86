export { fromPhiCore, type PhiCoreOptions, phiCoreHomes } from "./from-phi-core.ts";
export { LockedError, NoLockError } from "./lock.ts";
export {
  childrenOf,
  getLoop,
  type LoopNode,
  loopChainTo,
  parallelSiblings,
  rootLoops,
  totalUsage,
  type UsageTotal,
} from "./navigation.ts";
export { phiCoreProblems } from "./problems.ts";
export { type SaveOptions, savePhiCoreSession } from "./save.ts";
export { toPhiCore } from "./to-phi-core.ts";
