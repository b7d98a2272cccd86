import { stat } from "node:fs";

const nudgeMs = 1_000;

let holders = 0;
let timer: NodeJS.Timeout | undefined;

/**
 * Gives Node's threads for files a job each second. They wait on a condition of the C library, and that
 * of glibc before 2.41 loses a wake-up once in tens of millions (its bug 25847): a job then lies beside
 * idle threads until another one comes. Where all else waits for it, none would.
 *
 * @returns What ends it. It keeps no process running.
 */
export function nudgeThreads(): () => void {
  holders += 1;
  timer ??= setInterval(() => stat(".", () => undefined), nudgeMs).unref();
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    holders -= 1;
    if (holders > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
