import type { MessageView } from "./get.ts";
import { sizeOf } from "./shown-message.ts";

/** A message whose neighbours fit into a page. */
export type CutView = MessageView & {
  /** There are more neighbours than shown. */
  readonly context_cut?: true;
};

/**
 * A message with as many of its neighbours as a page holds, the nearest first, so that they stay
 * next to each other.
 */
export function cutContext(view: MessageView, limitBytes: number = 64 * 1024): CutView {
  const { before, after } = view;
  const kept = { before: 0, after: 0 };
  const isOpen = { before: true, after: true };
  let bytes = 0;
  for (let distance = 0; isOpen.before || isOpen.after; distance += 1) {
    for (const side of ["before", "after"] as const) {
      const message = side === "before" ? before.at(-1 - distance) : after[distance];
      if (message === undefined || !isOpen[side]) isOpen[side] = false;
      else {
        bytes += sizeOf(message);
        if (bytes > limitBytes) return cut(view, kept);
        kept[side] += 1;
      }
    }
  }
  return view;
}

function cut(
  view: MessageView,
  kept: { readonly before: number; readonly after: number },
): CutView {
  return {
    ...view,
    before: view.before.slice(view.before.length - kept.before),
    after: view.after.slice(0, kept.after),
    context_cut: true,
  };
}
