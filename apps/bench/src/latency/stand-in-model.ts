import type { Embedder } from "@pond/embed";
import { createRandom } from "../shared/random.ts";

const dimension = 384;
// As with a model, which reads the beginning of a text.
const maxWords = 120;
const shortWord = 4;
const shortWordWeight = 0.3;
/** Words whose directions are kept. */
const maxCachedWords = 30_000;

/**
 * Stands in for a model, with vectors as long as those of small ones. The vector of a text is the
 * sum of its words' vectors, each a random direction, so texts with words in common are near each
 * other.
 */
export function standInModel(): Embedder {
  const cache = new Map<string, Float32Array>();
  const directionOf = (word: string): Float32Array => {
    const known = cache.get(word);
    if (known !== undefined) return known;
    const random = createRandom(seedOf(word));
    const direction = Float32Array.from({ length: dimension }, () => random() - 0.5);
    if (cache.size < maxCachedWords) cache.set(word, direction);
    return direction;
  };
  const vectorOf = (text: string): Float32Array => {
    const sum = new Float32Array(dimension);
    for (const word of text.split(/\s+/).slice(0, maxWords)) {
      const weight = word.length > shortWord ? 1 : shortWordWeight;
      for (const [at, value] of directionOf(word).entries())
        sum[at] = (sum[at] ?? 0) + weight * value;
    }
    const length = Math.hypot(...sum);
    return sum.map((value) => value / length);
  };
  return {
    modelId: "stand-in",
    dimension,
    limits: { maxTexts: 256, maxTokens: maxWords },
    embed: async (texts) => texts.map(vectorOf),
    close: async () => undefined,
  };
}

function seedOf(word: string): number {
  let seed = 0;
  for (let at = 0; at < word.length; at += 1) seed = Math.imul(seed, 31) + word.charCodeAt(at);
  return seed;
}
