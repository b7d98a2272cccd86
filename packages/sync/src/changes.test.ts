import type { Reader } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { line, withBench } from "./sync.test-kit.ts";
import { previewSync } from "./sync.ts";

/** A reader of files that may not be opened. */
const locked = (reader: Reader): Reader => ({
  ...reader,
  async *read() {
    yield* [];
    throw Object.assign(new Error("EACCES: permission denied"), { syscall: "open" });
  },
});

it("previews a file that could not be opened as what it was, and a sync tries it again", () =>
  withBench(async (bench) => {
    bench.write("s1", line("s1", "a", "x"));
    const { stateDirectory } = bench;
    const options = { stateDirectory, host: "bench", now: () => new Date(0) };
    const [synced] = (await bench.sync({ wrap: locked })).adapters;

    const [previewed] = (await previewSync(bench.sessions, bench.sources(), options)).adapters;
    const [again] = (await bench.sync()).adapters;

    expect(previewed?.sessions).toEqual(synced?.sessions);
    expect(previewed?.sessions).toMatchObject({ seen: 1, new: 0, grown: 0, failed: 1 });
    expect(previewed?.faults).toEqual(synced?.faults);
    expect(previewed?.faults).toHaveLength(1);
    expect(again?.sessions).toMatchObject({ seen: 1, new: 1, failed: 0 });
  }));
