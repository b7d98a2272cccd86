import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import { expect, it } from "vitest";

/** What a rule asks a text for. */
function patternsOf(rule: (typeof rules)[number]): string[] {
  const patterns: string[] = [];
  const content = {
    matchAll(pattern: RegExp) {
      patterns.push(String(pattern));
      return [];
    },
  };
  const context = { createTranslator: () => () => ({}), report() {}, ignore() {} };
  const handler = rule.create(context as never, { enableIDScanRule: true });
  if (!rule.meta.id.endsWith("filter-comments")) handler.file?.({ content } as never);
  return patterns;
}

// Where this says that one is another now, look at what `ruleFilters` in preset.ts says of its rule.
it("says of each rule of the preset what it looks for", () => {
  const looksFor = Object.fromEntries(rules.map((rule) => [rule.meta.id, patternsOf(rule)]));

  expect(looksFor).toMatchSnapshot();
});
