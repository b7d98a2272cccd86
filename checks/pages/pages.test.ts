import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type SharedSession, toHtml } from "@pond/share";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Chromium, findChromium } from "./chromium.ts";
import { hostileSession } from "./hostile.ts";
import { ordinarySession } from "./ordinary.ts";

const program = findChromium();
if (program === undefined) {
  console.warn("skipped: pages in a browser, because no Chromium is on the PATH");
}

const pages: readonly (readonly [string, () => SharedSession])[] = [
  ["an ordinary session", ordinarySession],
  ["a session that attacks its readers", hostileSession],
];
const widths = [360, 800, 1400];

describe.skipIf(program === undefined)("a page in Chromium", () => {
  let folder: string;
  let chromium: Chromium;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "pond-page-"));
    chromium = await Chromium.start(program ?? "");
    for (const [name, session] of pages) {
      const pieces = await Array.fromAsync(toHtml(session()));
      writeFileSync(fileOf(name), pieces.join("").toWellFormed());
    }
  });
  afterAll(async () => {
    await chromium?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const fileOf = (name: string): string => join(folder, `${name.replaceAll(" ", "-")}.html`);
  const open = async (name: string, { width = 800, scheme = "light" } = {}): Promise<void> => {
    const size = { width, height: 900, deviceScaleFactor: 1, mobile: width < 500 };
    await chromium.send("Emulation.setDeviceMetricsOverride", size);
    const features = [{ name: "prefers-color-scheme", value: scheme }];
    await chromium.send("Emulation.setEmulatedMedia", { media: "screen", features });
    await chromium.open(pathToFileURL(fileOf(name)).href);
  };

  it.each(pages)("of %s runs no script, fetches nothing and logs nothing", async (name) => {
    await open(name);

    // Anything that would only start when somebody opens it.
    await chromium.evaluate(`document.querySelectorAll("details").forEach((each) => {
      each.open = true;
      each.scrollIntoView();
    })`);
    const state = await chromium.evaluate(
      `({ ran: globalThis.ran ?? false, scripts: document.scripts.length, href: location.href })`,
    );
    expect(state).toEqual({ ran: false, scripts: 0, href: pathToFileURL(fileOf(name)).href });
    const requested = chromium.events
      .filter(({ method }) => method === "Network.requestWillBeSent")
      .map(({ params }) => String((params["request"] as { url: string }).url).slice(0, 5));
    expect(requested.filter((url) => url !== "data:")).toEqual(["file:"]);
    const reported =
      /^(?:Log\.entryAdded|Runtime\.(?:exceptionThrown|consoleAPICalled)|Page\.javascriptDialogOpening)$/;
    expect(chromium.events.filter(({ method }) => reported.test(method))).toEqual([]);
  });

  it("reveals a script that does run, so that the test above proves something", async () => {
    writeFileSync(fileOf("careless"), "<script>globalThis.ran = true; console.log(1)</script>");
    await open("careless");

    expect(await chromium.evaluate("globalThis.ran")).toBe(true);
    expect(chromium.events.map(({ method }) => method)).toContain("Runtime.consoleAPICalled");
  });

  it.each(pages.flatMap(([name]) => widths.map((width) => [name, width] as const)))(
    "of %s fits a width of %i pixels",
    async (name, width) => {
      await open(name, { width });
      await chromium.evaluate(
        `document.querySelectorAll("details").forEach((each) => { each.open = true })`,
      );

      expect(
        await chromium.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)"),
      ).toBe(0);
    },
  );

  it.each(["light", "dark"])(
    "has readable contrast for a person who prefers a %s scheme",
    async (scheme) => {
      await open("an ordinary session", { scheme });

      const { background, measured, faint } = await chromium.evaluate<Contrasts>(contrasts);
      const [red = 0] = background;
      expect(red < 128).toBe(scheme === "dark");
      expect(measured).toBeGreaterThan(50);
      expect(faint).toEqual([]);
    },
  );

  it("has exactly one target for each internal link, and leads only to the web otherwise", async () => {
    for (const [name] of pages) {
      await open(name);
      const links = await chromium.evaluate<string[]>(
        `[...document.links].map((link) => link.getAttribute("href"))`,
      );
      const missing = await chromium.evaluate(`[...document.links]
        .map((link) => link.getAttribute("href"))
        .filter((href) => href.startsWith("#") && document.querySelectorAll(href).length !== 1)`);
      expect(missing).toEqual([]);
      expect(links.filter((href) => !/^(?:#[a-z0-9-]+$|https?:\/\/|mailto:)/.test(href))).toEqual(
        [],
      );
    }
  });

  it("has one main heading, and no message adds headings of the two highest levels", async () => {
    for (const [name] of pages) {
      await open(name);
      const tops = await chromium.evaluate(`document.querySelectorAll("h1").length`);
      const inside = await chromium.evaluate(
        `document.querySelectorAll(".prose h1, .prose h2").length`,
      );
      expect([tops, inside]).toEqual([1, 0]);
    }
  });

  it("prints in full, including what is folded on the screen", async () => {
    await open("an ordinary session");
    const folded = `getComputedStyle(document.querySelector("details:not([open])"), "::details-content").contentVisibility`;
    expect(await chromium.evaluate(folded)).toBe("hidden");

    await chromium.send("Emulation.setEmulatedMedia", { media: "print" });
    expect(await chromium.evaluate(folded)).toBe("visible");
    const { data } = await chromium.send("Page.printToPDF");
    expect(Buffer.from(String(data), "base64").subarray(0, 5).toString()).toBe("%PDF-");
  });

  it("holds the session up to its last words", async () => {
    for (const [name] of pages) {
      await open(name);
      const text = await chromium.evaluate<string>("document.querySelector('main').textContent");
      expect(text).toContain("The very last words.");
    }
  });
});

type Contrasts = {
  readonly background: readonly number[];
  readonly measured: number;
  /** Texts that are hard to read, with their contrast (WCAG 2.2, 1.4.3). */
  readonly faint: readonly string[];
};

/** Measures every text of the page against its painted background. */
const contrasts = `(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const over = (color, below) => {
    canvas.fillStyle = "rgb(" + below.join(" ") + ")";
    canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  };
  const behind = (element) => {
    const above = element.parentElement ? behind(element.parentElement) : [255, 255, 255];
    return over(getComputedStyle(element).backgroundColor, above);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((each) => each / 255)
      .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  document.querySelectorAll("details").forEach((each) => { each.open = true; });
  const faint = [];
  let measured = 0;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { parentElement, data } = texts.currentNode;
    if (data.trim() === "") continue;
    measured += 1;
    const below = behind(parentElement);
    const ratio = contrast(over(getComputedStyle(parentElement).color, below), below);
    if (ratio < 4.5) faint.push(ratio.toFixed(2) + " " + data.trim().slice(0, 40));
  }
  return { background: behind(document.body), measured, faint };
})()`;
