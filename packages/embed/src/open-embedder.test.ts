import { expect, it } from "vitest";
import { openEmbedder } from "./open-embedder.ts";

it.each([
  ["an unknown kind", { kind: "x" }, /^kind: .* not x$/],
  ["no kind", {}, /^kind: /],
  ["a folder without a path", { kind: "folder", folder: "" }, /^folder: /],
])("refuses settings that make no sense: %s", async (_, settings, message) => {
  const opened = openEmbedder(Object(settings));

  await expect(opened).rejects.toThrow(TypeError);
  await expect(openEmbedder(Object(settings))).rejects.toThrow(message);
});
