import { describe, expect, it } from "vitest";
import { type SafeText, safeText } from "./safe-text.ts";
import { type Column, renderTable } from "./table.ts";
import { widthOf } from "./width.ts";

const columns: readonly Column[] = [
  { title: safeText("ID") },
  { title: safeText("N"), align: "right" },
  { title: safeText("PROJECT"), minWidth: 6, cutAt: "start" },
  { title: safeText("TITLE"), minWidth: 6 },
];
const rows = [
  ["a1", "5", "/home/ada/loom", "Why do ponds freeze from the top?"],
  ["b22", "1,234", "/srv/中文项目", "短"],
].map((cells) => cells.map((cell) => safeText(cell)));

const render = (width: number): SafeText[] =>
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
    const family = safeText("👩‍👩‍👧");
    const cells = [family, safeText("a title that has to be cut")];
    const two = [{ title: safeText("WHO") }, { title: safeText("TITLE"), minWidth: 6 }];

    const [, line] = renderTable(two, [cells], { width: 20, titleStyle: (text) => text });

    expect(line).toBe(`${family}   a title th…`);
  });
});
