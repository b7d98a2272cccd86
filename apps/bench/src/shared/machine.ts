import { cpus, loadavg, release, totalmem, type } from "node:os";

/** The machine that was measured on, in a few words. */
export function machine(): string {
  return `${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}`;
}

/** With everything that times depend on; the load tells what else the machine is doing. */
export function wholeMachine(): string {
  const gigabytes = (totalmem() / 2 ** 30).toFixed(0);
  const load = loadavg()[0]?.toFixed(1);
  return `${machine()}, ${gigabytes} GB of memory, ${type()} ${release()}, load ${load}`;
}
