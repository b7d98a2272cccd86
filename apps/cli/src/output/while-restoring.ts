import { formatDuration } from "./numbers.ts";
import type { Output } from "./output.ts";
import { type Pace, ProgressLine } from "./progress.ts";
import { safe } from "./safe-text.ts";

/**
 * Shows that one session is being restored: a long one takes seconds, and nothing counts its parts.
 */
export async function whileRestoring<T>(output: Output, work: () => Promise<T>): Promise<T> {
  const progress = new ProgressLine(output);
  const describe = ({ elapsedMs }: Pace) => safe`restoring  ${formatDuration(elapsedMs)}`;
  progress.show("restore", { done: 0, total: 1 }, describe);
  try {
    return await work();
  } finally {
    progress.clear();
  }
}
