export { HeadBuilder } from "./head-builder.ts";
export { fillHeads, type MadeHead, makeHeads } from "./heads.ts";
export { fromIndexed } from "./indexed-text.ts";
export { fromHeadText, headOf, type MessageHead } from "./message-head.ts";
export { normalizeText } from "./normalize-text.ts";
export { rebuildWindows } from "./rebuild-windows.ts";
export { searchText } from "./search-text.ts";
export { windowText } from "./window-text.ts";
export { titleTime, type WindowPiece } from "./windows.ts";
