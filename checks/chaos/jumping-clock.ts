// Imported before a program: its clock jumps by days, back and forth, after every few readings.
import { Random } from "./random.ts";

const random = new Random(Number(process.env["POND_CHAOS_CLOCK"]));
const dayMs = 86_400_000;
const readsBetween = 20;
const SystemDate = Date;
let shiftMs = 0;
let reads = 0;

function now(): number {
  reads += 1;
  if (reads % readsBetween === 0) shiftMs = (random.share() - 0.5) * 60 * dayMs;
  return Math.floor(SystemDate.now() + shiftMs);
}

globalThis.Date = new Proxy(SystemDate, {
  construct: (target, given: readonly unknown[]) =>
    given.length === 0 ? new target(now()) : Reflect.construct(target, given),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});
