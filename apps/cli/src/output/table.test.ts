import { describe, expect, it } from "vitest";
import { type Shown, shown } from "./shown.ts";
import { type Column, renderTable } from "./table.ts";
import { widthOf } from "./width.ts";

const columns: readonly Column[] = [
  { title: shown("ID") },
  { title: shown("N"), align: "right" },
  { title: shown("PROJECT"), minWidth: 6, cutAt: "start" },
  { title: shown("TITLE"), minWidth: 6 },
];
const rows = [
  ["a1", "5", "/home/ada/loom", "Why do ponds freeze from the top?"],
  ["b22", "1,234", "/srv/中文项目", "短"],
].map((cells) => cells.map((cell) => shown(cell)));

const render = (width: number): Shown[] =>
  renderTable(columns, rows, { width, titleStyle: (text) => text });

describe("renderTable", () => {
  it("gives every column the width that it needs when there is room", () => {
    expect(render(Number.POSITIVE_INFINITY)).toEqual([
      "ID       N  PROJECT         TITLE",
      "a1       5  /home/ada/loom  Why do ponds freeze from the top?",
      "b22  1,234  /srv/中文项目   短",
    ]);
  });

  it.each([60, 50, 40, 30])("fits %i columns", (width) => {
    const widths = render(width).map(widthOf);

    expect(Math.max(...widths)).toBeLessThanOrEqual(width);
  });

  it("cuts the widest column first, and each column at its own end", () => {
    expect(render(40)).toEqual([
      "ID       N  PROJECT        TITLE",
      "a1       5  …ome/ada/loom  Why do ponds…",
      "b22  1,234  /srv/中文项目  短",
    ]);
    expect(render(30)).toEqual([
      "ID       N  PROJECT   TITLE",
      "a1       5  …da/loom  Why do …",
      "b22  1,234  …文项目   短",
    ]);
  });

  it("does not cut a column below its minimum width", () => {
    expect(render(5)[1]).toBe("a1       5  …/loom  Why d…");
  });

  it("leaves room for a terminal that draws a family emoji as three people", () => {
    const family = shown("👩‍👩‍👧");
    const cells = [family, shown("a title that has to be cut")];
    const two = [{ title: shown("WHO") }, { title: shown("TITLE"), minWidth: 6 }];

    const [, line] = renderTable(two, [cells], { width: 20, titleStyle: (text) => text });

    expect(line).toBe(`${family}   a title th…`);
  });
});
