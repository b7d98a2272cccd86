import { ok } from "node:assert/strict";
import { expectSameEvents } from "../event-difference.ts";
import { expectFaults, expectPlace, type FaultPlace } from "../expect-faults.ts";
import { type AdapterCase, type CompleteKit, type Fixture, fixturesOf } from "../kit.ts";
import { joinLines, mapLineFiles, wholeLines } from "../mutate.ts";
import { readFiles } from "../read-files.ts";
import { linesOf } from "../records.ts";
import type { SourceFiles } from "../source-files.ts";

/** A damaged line costs itself, and is reported with its place. */
export function damageCases(kit: CompleteKit): readonly AdapterCase[] {
  return fixturesOf(kit).flatMap((fixture) => [
    reportCase(kit, fixture),
    ...damages.map(([name, line]) => damageCase(kit, fixture, name, line)),
    pendingCase(kit, fixture),
    chunkBoundaryCase(kit, fixture),
  ]);
}

const damages: readonly (readonly [string, Buffer])[] = [
  ["half a line", Buffer.from('{"type":"user","mess')],
  ["a line that is no object", Buffer.from("[1,2]")],
  ["a line of NULs", Buffer.alloc(300)],
  ["a line that is no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
];

function damageCase(kit: CompleteKit, fixture: Fixture, name: string, damage: Buffer): AdapterCase {
  return {
    rule: "adapter-integrity-no-silent-drops",
    name: `${name} in ${fixture.name} is a fault with its place and costs nothing else`,
    run: async () => {
      const whole = mapLineFiles(kit, await fixture.load(), (lines) => lines);
      for (const [path, bytes] of whole) {
        const lines = wholeLines(bytes);
        if (!kit.isLineFile(path) || lines.length === 0) continue;
        const before = lines.slice(0, Math.ceil(lines.length / 2));
        const damaged = new Map(whole).set(
          path,
          joinLines([...before, damage, ...lines.slice(before.length)]),
        );

        await expectOneFault(kit, whole, damaged, path, {
          record: before.length + 1,
          byteOffset: joinLines(before).length,
        });
      }
    },
  };
}

async function expectOneFault(
  kit: CompleteKit,
  whole: SourceFiles,
  damaged: SourceFiles,
  path: string,
  place: FaultPlace,
): Promise<void> {
  const [expected, actual] = [await readFiles(kit, whole), await readFiles(kit, damaged)];
  const known = new Set(expected.faults.map(({ details }) => details.reason));
  const added = actual.faults.filter(({ details }) => !known.has(details.reason));

  expectSameEvents(expected.canonical, actual.canonical, `the rest of ${path}`);
  expectFaults(path, expected.faults.length + 1, actual.faults);
  for (const fault of added) expectPlace(path, place, fault);
}

/** A client is still writing such a line: nothing is wrong with it. */
function pendingCase(kit: CompleteKit, fixture: Fixture): AdapterCase {
  return {
    rule: "adapter-integrity-no-silent-drops",
    name: `a last line of ${fixture.name} still being written is pending`,
    run: async () => {
      const whole = mapLineFiles(kit, await fixture.load(), (lines) => lines);
      if (![...whole.keys()].some((path) => kit.isLineFile(path))) return;
      const cut = new Map(
        [...whole].map(([path, bytes]) => {
          const isCut = kit.isLineFile(path) && bytes.length > 0;
          return [path, isCut ? Buffer.concat([bytes, Buffer.from('{"type":"us')]) : bytes];
        }),
      );

      const [expected, actual] = [await readFiles(kit, whole), await readFiles(kit, cut)];

      expectSameEvents(expected.canonical, actual.canonical, "before the last lines");
      expectFaults("last lines cut short", expected.faults.length, actual.faults);
      const pending = actual.events.filter(({ kind }) => kind === "pending");
      const isEmpty = expected.contents.length === 0;
      ok(pending.length > 0 || isEmpty, "no record is pending, and the last line is not whole");
    },
  };
}

/** A blank line moves every record across the boundaries at which files are read. */
function chunkBoundaryCase(kit: CompleteKit, fixture: Fixture): AdapterCase {
  return {
    rule: "model-lossless-projection",
    name: `${fixture.name} reads the same across the borders of chunks`,
    run: async () => {
      const whole = mapLineFiles(kit, await fixture.load(), (lines) => lines);
      const expected = await readFiles(kit, whole);
      for (const boundary of chunkBoundaries) {
        const moved = mapLineFiles(kit, whole, (lines) => {
          const half = Math.floor(joinLines(lines).length / 2);
          return [Buffer.alloc(Math.max(boundary - half - 1, 0), " "), ...lines];
        });

        const actual = await readFiles(kit, moved);

        expectSameEvents(expected.canonical, actual.canonical, `behind ${boundary} bytes`);
      }
    },
  };
}

const chunkBoundaries = [1 << 16, (1 << 16) + 1, 1 << 18, 1 << 20];

function reportCase(kit: CompleteKit, fixture: Fixture): AdapterCase {
  return {
    rule: "adapter-integrity-no-silent-drops",
    name: `every broken line of ${fixture.name} is reported`,
    run: async () => {
      const files = await fixture.load();
      const broken = [...files].flatMap(([path, bytes]) =>
        kit.isLineFile(path)
          ? linesOf(bytes).filter(({ record, isBlank }) => record === undefined && !isBlank)
          : [],
      );

      const { events, faults } = await readFiles(kit, files);

      const reported = faults.length + events.filter(({ kind }) => kind === "pending").length;
      ok(reported >= broken.length, `${broken.length} broken lines, ${reported} reports`);
    },
  };
}
