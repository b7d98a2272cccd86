import { stat } from "node:fs";

const nudgeMs = 1_000;

let holders = 0;
let timer: NodeJS.Timeout | undefined;

/**
 * Gives Node's threads for files a job each second. They wait on a condition variable of the C
 * library, and glibc before 2.41 loses a wake-up once in tens of millions (its bug 25847): a job
 * then lies next to idle threads until another one arrives. If everything else waits for that job,
 * none would.
 *
 * @returns A function that ends it. It does not keep the process running.
 */
export function nudgeThreads(): () => void {
  holders += 1;
  timer ??= setInterval(() => stat(".", () => undefined), nudgeMs).unref();
  let isStopped = false;
  return () => {
    if (isStopped) return;
    isStopped = true;
    holders -= 1;
    if (holders > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
