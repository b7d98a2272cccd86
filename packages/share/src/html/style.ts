/** The whole style of a page. The hash in the page's policy is computed from it. */
export const pageStyle: string = `
:root {
  color-scheme: light dark;
  --paper: #fdfcfa; --ink: #1f2328; --faint: #667079; --line: #e2dfd8; --sunk: #f4f2ed;
  --accent: #1f6f78; --tint: #edf5f5; --bad: #b3261e; --warn: #8a5a00; --code: #f1efe9;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16191c; --ink: #dfe3e6; --faint: #919ba3; --line: #2e3439; --sunk: #1c2024;
    --accent: #6cc4cc; --tint: #192629; --bad: #ff8a80; --warn: #e0b050; --code: #22272b;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 1rem; }
body {
  margin: 0 auto; padding: 0 1.25rem 3rem; max-width: 50rem;
  background: var(--paper); color: var(--ink);
  font: 1rem/1.6 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
code, pre { font-family: var(--mono); font-size: .875em; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .25rem .75rem; z-index: 1; }
.page { padding: 2.5rem 0 1.25rem; border-bottom: 1px solid var(--line); margin-bottom: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; letter-spacing: -.01em; text-wrap: balance; }
.page dl { margin: 0; display: grid; gap: .2rem; font-size: .875rem; }
.page dl div { display: grid; grid-template-columns: 5.5rem 1fr; }
dt { color: var(--faint); }
dd { margin: 0; }
article { padding: 1rem 0 .25rem; scroll-margin-top: .5rem; }
article > header { display: flex; align-items: baseline; gap: .75rem; margin-bottom: .35rem; }
article > header h2 { font-size: .875rem; margin: 0; font-weight: 650; }
.anchor { margin-left: auto; color: var(--faint); font-size: .75rem; text-decoration: none; font-variant-numeric: tabular-nums; }
.anchor:hover { color: var(--accent); text-decoration: underline; }
.mark { font-size: .75rem; color: var(--warn); }
.user { background: var(--tint); border-left: 3px solid var(--accent); border-radius: 0 8px 8px 0; padding: .75rem 1rem .25rem; margin: 1.5rem 0 .5rem; }
.user h2 { color: var(--accent); }
.system h2, .tool h2 { color: var(--faint); }
.goes-on { padding-top: 0; }
.goes-on > header { position: relative; height: 0; margin: 0; }
.goes-on > header h2 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.goes-on > header .anchor { position: absolute; right: 0; opacity: 0; }
.goes-on:hover > header .anchor, .goes-on > header .anchor:focus { opacity: 1; background: var(--paper); padding: 0 .25rem; z-index: 1; }
article:target { box-shadow: -3px 0 0 var(--warn); }
.prose > :first-child { margin-top: 0; }
.prose > :last-child { margin-bottom: .5rem; }
.prose p, .prose ul, .prose ol, .prose blockquote { margin: .6rem 0; }
.prose :is(h3, h4, h5, h6) { margin: 1.25rem 0 .4rem; line-height: 1.3; font-size: 1.05rem; }
.prose h3 { font-size: 1.15rem; }
.prose ul, .prose ol { padding-left: 1.5rem; }
.prose li > p { margin: .2rem 0; }
.prose blockquote { border-left: 3px solid var(--line); padding-left: 1rem; margin-left: 0; color: var(--faint); }
.prose hr { border: 0; border-top: 1px solid var(--line); margin: 1.5rem 0; }
.prose :not(pre) > code { background: var(--code); padding: .1em .35em; border-radius: 4px; }
pre { margin: .6rem 0; padding: .75rem 1rem; background: var(--sunk); border: 1px solid var(--line); border-radius: 8px; white-space: pre-wrap; line-height: 1.5; tab-size: 4; }
pre code { font-size: 1em; }
.plain { font-family: inherit; font-size: 1em; background: none; border: 0; padding: 0; }
.table { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; font-size: .9375em; overflow-wrap: normal; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .75rem; text-align: left; vertical-align: top; }
th { font-weight: 650; border-bottom-width: 2px; }
.right { text-align: right; }
.center { text-align: center; }
details { margin: .4rem 0; }
summary { cursor: pointer; border-radius: 6px; }
summary:hover { color: var(--accent); }
details.tool { border: 1px solid var(--line); border-radius: 8px; font-size: .875rem; overflow: hidden; }
details.tool > summary { padding: .4rem .75rem; background: var(--sunk); border-radius: 0; }
details.tool[open] > summary { border-bottom: 1px solid var(--line); }
details.tool pre { margin: 0; border: 0; border-radius: 0; background: none; padding: .6rem .75rem; }
details.tool pre + .name, details.tool img + .name { border-top: 1px solid var(--line); }
details.tool b { font-weight: 600; }
.gist { color: var(--faint); margin-left: .35rem; }
.name { margin: 0; padding: .45rem .75rem 0; color: var(--faint); font-size: .75rem; font-family: var(--mono); }
.name + pre { padding-top: .15rem !important; }
.of, .size { color: var(--faint); margin-left: .25rem; }
.size { font-size: .8125rem; }
.result b { color: var(--faint); }
.failed { border-color: color-mix(in srgb, var(--bad) 45%, var(--line)) !important; }
.failed b { color: var(--bad); }
p.result { border: 1px solid var(--line); border-radius: 8px; margin: .4rem 0; padding: .4rem .75rem; font-size: .875rem; background: var(--sunk); }
.aside { font-size: .9375rem; color: var(--faint); border-left: 2px solid var(--line); padding-left: .85rem; }
.aside > summary { font-size: .875rem; font-style: italic; }
.aside > .prose { padding-top: .4rem; }
.note { margin: .4rem 0; font-size: .875rem; color: var(--faint); }
details .note { padding: .4rem .75rem 0; }
.missing { color: var(--faint); font-size: .875rem; border: 1px dashed var(--line); border-radius: 6px; padding: .1rem .5rem; }
p.missing { padding: .4rem .75rem; margin: .4rem 0; }
.place { border-bottom: 1px dotted var(--faint); }
.compaction { display: flex; align-items: center; gap: 1rem; margin: 1rem 0; color: var(--warn); font-size: .875rem; }
.compaction::before, .compaction::after { content: ""; flex: 1; border-top: 1px dashed currentcolor; opacity: .5; }
img { max-width: 100%; height: auto; max-height: 40rem; border-radius: 6px; }
details.tool img { display: block; margin: .6rem .75rem; max-width: calc(100% - 1.5rem); }
figure { margin: .6rem 0; }
figcaption { font-size: .8125rem; color: var(--faint); }
nav { border-top: 1px solid var(--line); margin-top: 2.5rem; padding-top: 1rem; font-size: .875rem; }
nav h2 { font-size: .875rem; margin: 0 0 .5rem; color: var(--faint); }
nav ol { margin: 0; padding-left: 1.75rem; }
nav li { margin: .3rem 0; color: var(--faint); }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
body > footer { border-top: 1px solid var(--line); margin-top: 2rem; font-size: .8125rem; color: var(--faint); }
@media screen {
  article { content-visibility: auto; contain-intrinsic-size: auto 8rem; }
}
@media screen and (min-width: 84rem) {
  nav { position: fixed; top: 0; left: calc(50% + 26rem); width: min(18rem, calc(50% - 27rem)); max-height: 100vh; overflow-y: auto; border: 0; margin: 0; padding: 2.6rem 0 1rem; }
}
@media (max-width: 36rem) {
  body { padding: 0 .9rem 2rem; }
  .page { padding-top: 1.5rem; }
  h1 { font-size: 1.3rem; }
  .page dl div { grid-template-columns: 4.5rem 1fr; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media print {
  :root { --paper: #fff; --ink: #000; --faint: #555; --line: #ccc; --sunk: #f6f6f6; --tint: #f2f7f7; --accent: #14525a; --bad: #a01c15; --warn: #6d4700; --code: #f2f2f2; }
  @page { margin: 18mm 16mm; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, .skip { display: none; }
  .page { padding-top: 0; }
  /* What is folded on a screen is read on paper. */
  details::details-content { content-visibility: visible; block-size: auto; }
  article > header, summary, h3, h4 { break-after: avoid; }
  img, tr { break-inside: avoid; }
  a { color: inherit; }
}
`;
