import { join } from "node:path";
import { type Embedder, EmbeddingError, openEmbedder } from "@pond/embed";
import { buildTestModel } from "@pond/embed-testkit";
import { openSessions } from "@pond/sessions";
import { describe, expect, it } from "vitest";
import {
  type FakeOptions,
  fakeEmbedder,
  importTexts,
  ModelMissingError,
  storedEmbeddings,
  textOf,
  uniformVectors,
} from "./embed.test-kit.ts";
import { type EmbedMessagesOptions, type EmbedReport, embedMessages } from "./embed.ts";
import { ModelsAtOnceError, VectorsInvalidError } from "./errors.ts";
import type { SyncProgress } from "./progress.ts";
import { type Bench, line, withBench } from "./sync.test-kit.ts";

const now = (): Date => new Date("2026-11-20T12:00:00Z");

function embed(
  { sessions }: Pick<Bench, "sessions">,
  embedder: Embedder = fakeEmbedder(),
  options: Partial<EmbedMessagesOptions> = {},
): Promise<EmbedReport> {
  return embedMessages(sessions, embedder, { now, ...options });
}

/** How many messages are in each state. */
async function tally(bench: Bench, dimension?: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const state of Object.values(await storedEmbeddings(bench, dimension))) {
    counts[String(state)] = (counts[String(state)] ?? 0) + 1;
  }
  return counts;
}

/** Rows the text index covers, and those it does not. */
async function textIndex({ sessions }: Bench): Promise<[number, number]> {
  const { indexes } = await sessions.store.table("messages").health();
  const index = indexes.find(({ column }) => column === "search_text");
  return [index?.indexedRows ?? -1, index?.unindexedRows ?? -1];
}

/** So few vectors are held that every batch of four is a commit. */
const eachBatch = { maxPendingBytes: 4 * (4 * 384 + 512) };

describe("embedMessages", () => {
  it("session-embed-from-canonical: gives each message a vector of its stored text", () =>
    withBench(async (bench) => {
      await importTexts(bench, 3, 8);
      const embedder = fakeEmbedder();

      const report = await embed(bench, embedder);

      expect(report).toEqual({
        model: "model-a",
        dimension: 384,
        embedded: 11,
        remaining: 0,
        failed: 0,
        faults: [],
        rewritten_rows: 11,
      });
      expect(await tally(bench)).toEqual({ "model-a": 11 });
      // Before any text, one word.
      expect(embedder.calls).toEqual([1, 4, 4, 3]);
    }));

  it("stores vectors of any length as unit vectors", () =>
    withBench(async (bench) => {
      await importTexts(bench, 4);
      const long = [1e6, -1e-9].map((by) =>
        fakeEmbedder({
          before: (texts) =>
            uniformVectors(texts.length, 384).map((vector) => vector.map((each) => each * by)),
        }),
      );
      for (const embedder of long) {
        const report = await embed(bench, embedder, { isForced: true });
        const rows = await bench.sessions.store.table("messages").rows({ columns: ["vector"] });
        const lengths = rows.map(({ vector }) => Math.hypot(...(vector as Float32Array)));

        expect([report.embedded, report.failed]).toEqual([4, 0]);
        for (const length of lengths) expect(length).toBeCloseTo(1, 2);
      }
    }));

  it("limits how much text a model gets at once, however many messages the model takes", () =>
    withBench(async (bench) => {
      const long = "said at length ".repeat(65_000);
      const lines = Array.from({ length: 24 }, (_, at) => line("s0", `m${at}`, `${at} ${long}`));
      bench.write("s0", ...lines);
      await bench.sync({ stages: ["import"] });
      const given: number[] = [];
      const embedder = fakeEmbedder({
        maxTexts: 256,
        before: (texts) => {
          given.push(texts.reduce((sum, { length }) => sum + length, 0));
          return undefined;
        },
      });

      const report = await embed(bench, embedder);

      expect(report).toMatchObject({ embedded: 24, remaining: 0 });
      expect(Math.max(...given)).toBeLessThan(5_000_000);
      expect(embedder.asked.filter((text) => text.length > long.length)).toHaveLength(24);
    }));

  it("embeds with a real model, and leaves the embedder open", () =>
    withBench(async (bench) => {
      await importTexts(bench, 9);
      const folder = join(bench.folder, "model");
      await buildTestModel(folder, { dimension: 32 });
      const embedder = await openEmbedder({ kind: "folder", folder });

      const report = await embed(bench, embedder);

      expect(report).toMatchObject({ embedded: 9, remaining: 0, model: embedder.modelId });
      const [vector = new Float32Array()] = await embedder.embed([textOf("s0", 4)], {
        kind: "passage",
      });
      const nearest = { column: "vector", vector, columns: ["id"], limit: 1 };
      expect(await bench.sessions.store.table("messages").nearest(nearest)).toMatchObject([
        { id: "m4" },
      ]);
      await embedder.close();
    }));

  it("embeds nothing twice", () =>
    withBench(async (bench) => {
      await importTexts(bench, 5);
      await embed(bench);
      bench.append("s0", line("s0", "m5", textOf("s0", 5)));
      await bench.sync();
      const embedder = fakeEmbedder();

      const report = await embed(bench, embedder);

      expect(report).toMatchObject({ embedded: 1, remaining: 0 });
      expect(embedder.asked).toEqual(["pond", textOf("s0", 5)]);
    }));

  it("reports its progress", () =>
    withBench(async (bench) => {
      await importTexts(bench, 6);

      await embed(bench, fakeEmbedder(), { onProgress: (event) => bench.progress.push(event) });

      const progress = { stage: "embed", stored: 0, total: 6, failed: 0 };
      expect(bench.progress).toEqual([0, 4, 6].map((embedded) => ({ ...progress, embedded })));
    }));

  it.each([
    ["", eachBatch],
    [", with cleanups in between", { ...eachBatch, maxGarbageBytes: 0 }],
  ])("keeps every row in the text index, however many commits it takes%s", (_, writeBack) =>
    withBench(async (bench) => {
      await importTexts(bench, 20);
      await bench.sync({ isFoldForced: true });
      const before = await textIndex(bench);

      await embed(bench, fakeEmbedder(), { writeBack });

      expect([before, await textIndex(bench)]).toEqual([
        [20, 0],
        [20, 0],
      ]);
      expect(await tally(bench)).toEqual({ "model-a": 20 });
    }),
  );

  it("can be stopped while it cleans up an earlier version's store, and reports that progress", () =>
    withBench(async (bench) => {
      await importTexts(bench, 20);
      const controller = new AbortController();
      const { signal } = controller;
      const messages = bench.sessions.store.table("messages");
      let isHeard: boolean | undefined;
      messages.fold = async ({ onRewrite, signal: given } = {}) => {
        onRewrite?.({ rows: 0, total: 20 });
        controller.abort();
        isHeard = given?.aborted;
        throw signal.reason;
      };
      const writeBack = { ...eachBatch, maxGarbageBytes: 0 };
      const onProgress = (event: SyncProgress) => void bench.progress.push(event);

      const stopped = await embed(bench, fakeEmbedder(), { writeBack, onProgress, signal });

      expect(bench.progress).toContainEqual({
        stage: "mend",
        table: "messages",
        rows: 0,
        total: 20,
      });
      expect(isHeard).toBe(true);
      expect(stopped.embedded + stopped.remaining).toBe(20);
      expect(stopped.remaining).toBeGreaterThan(0);
    }));

  it("keeps the vectors embedded so far when it is stopped, and the next call continues from there", () =>
    withBench(async (bench) => {
      await importTexts(bench, 11);
      const controller = new AbortController();
      const first = fakeEmbedder({
        before: (_, calls) => {
          if (calls === 3) controller.abort();
          return undefined;
        },
      });

      const stopped = await embed(bench, first, { signal: controller.signal });
      const second = fakeEmbedder();
      const finished = await embed(bench, second);

      expect([stopped.embedded, stopped.remaining]).toEqual([8, 3]);
      expect([finished.embedded, finished.remaining]).toEqual([3, 0]);
      expect(first.asked.filter((text) => second.asked.includes(text))).toEqual(["pond"]);
    }));

  it("keeps the vectors of finished batches when the embedder is stopped in the middle of a batch", () =>
    withBench(async (bench) => {
      await importTexts(bench, 11);
      const controller = new AbortController();
      const embedder = fakeEmbedder({
        before: (_, calls) => {
          if (calls < 4) return undefined;
          controller.abort();
          throw new Error("stopped");
        },
      });

      const report = await embed(bench, embedder, { signal: controller.signal });

      expect(report).toMatchObject({ embedded: 8, remaining: 3, failed: 0 });
    }));

  it("stores the gathered vectors after a while when that is cheap, before all texts are embedded", () =>
    withBench(async (bench) => {
      await importTexts(bench, 12);
      let seconds = 0;
      const { sessions } = bench;
      const stored: number[] = [];
      const embedder = fakeEmbedder({
        before: async () => {
          stored.push(
            await sessions.store
              .table("messages")
              .count({ op: "not-null", column: "embedding_model" }),
          );
          seconds += 20;
          return undefined;
        },
      });

      await embed(bench, embedder, { now: () => new Date(seconds * 1000) });

      expect(stored).toEqual([0, 0, 4, 4]);
    }));

  it("gives each message one vector when two calls run at once", () =>
    withBench(async (bench) => {
      await importTexts(bench, 30);
      await bench.sync({ isFoldForced: true });
      const other = await openSessions(bench.sessions.store.location, { mode: "write" });

      const reports = await Promise.all([
        embed(bench, fakeEmbedder(), { writeBack: eachBatch }),
        embed({ sessions: other }, fakeEmbedder(), { writeBack: eachBatch }),
      ]);

      other.close();
      expect(reports.map(({ remaining }) => remaining)).toEqual([0, 0]);
      expect(await tally(bench)).toEqual({ "model-a": 30 });
      expect(await bench.sessions.store.table("messages").count()).toBe(30);
    }));
});

describe("embedMessages with an embedder that fails", () => {
  const bad = textOf("s0", 5);
  const ofBatch = (texts: readonly string[]): Float32Array[] => uniformVectors(texts.length, 384);
  const refused = (reason: string, details: Partial<EmbeddingError["details"]> = {}) =>
    new EmbeddingError({ model: "model-a", reason, isOfEveryText: true, ...details });

  it.each<[string, string, (texts: readonly string[]) => Float32Array[]]>([
    [
      "throws",
      "embedding_failed",
      () => {
        throw new Error("no such thing");
      },
    ],
    [
      "returns NaN",
      "vectors_invalid",
      (texts) => ofBatch(texts).map((vector) => vector.fill(Number.NaN, 3, 4)),
    ],
    ["returns zeros", "vectors_invalid", (texts) => ofBatch(texts).map((vector) => vector.fill(0))],
    ["returns too few vectors", "vectors_invalid", (texts) => ofBatch(texts).slice(1)],
    [
      "returns too many vectors",
      "vectors_invalid",
      (texts) => [...ofBatch(texts), ...ofBatch(texts)],
    ],
    [
      "returns vectors that are too short",
      "vectors_invalid",
      (texts) => uniformVectors(texts.length, 383),
    ],
  ])("embeds the other texts and lists the one on which the embedder %s", (_, code, answer) =>
    withBench(async (bench) => {
      await importTexts(bench, 11);
      const embedder = fakeEmbedder({
        before: (texts) => (texts.includes(bad) ? answer(texts) : undefined),
      });

      const report = await embed(bench, embedder, { writeBack: eachBatch });

      expect(report).toMatchObject({
        embedded: 10,
        remaining: 1,
        failed: 1,
        faults: [{ session_id: "s0", message_id: "m5", code }],
      });
      expect(await tally(bench)).toEqual({ "model-a": 10, null: 1 });
      expect((await embed(bench)).embedded).toBe(1);
    }),
  );

  it("asks a dead endpoint for one word, and then no more", () =>
    withBench(async (bench) => {
      await importTexts(bench, 11);
      const embedder = fakeEmbedder({
        before: () => {
          throw refused("nothing listens there");
        },
      });

      await expect(embed(bench, embedder)).rejects.toThrow("nothing listens there");

      expect(embedder.calls).toEqual([1]);
    }));

  it.each<[string, Partial<EmbeddingError["details"]>]>([
    ["answers as to a wrong key, such as a firewall", { status: 403 }],
    ["hangs up, such as a gateway that looks for secrets", { attempts: 5 }],
    ["breaks down over, such as a server behind a proxy", { status: 502, attempts: 5 }],
  ])("embeds the other texts and lists the one that an endpoint %s", (_, details) =>
    withBench(async (bench) => {
      await importTexts(bench, 11);
      const embedder = fakeEmbedder({
        before: (texts) => {
          if (texts.includes(bad)) throw refused("refused", details);
          return undefined;
        },
      });

      const report = await embed(bench, embedder);

      expect(report).toMatchObject({
        ...{ embedded: 10, remaining: 1, failed: 1 },
        faults: [{ session_id: "s0", message_id: "m5", message: expect.stringMatching("refused") }],
      });
    }),
  );

  it("sends fewer texts at once where so many are above a limit of tokens in a minute", () =>
    withBench(async (bench) => {
      await importTexts(bench, 6);
      const embedder = fakeEmbedder({
        before: (texts) => {
          if (texts.length > 2) throw refused("too many tokens", { status: 429, attempts: 5 });
          return undefined;
        },
      });

      expect(await embed(bench, embedder)).toMatchObject({ embedded: 6, failed: 0 });
    }));

  it("keeps what it has of a batch when the model fails in the middle of it", () =>
    withBench(async (bench) => {
      await importTexts(bench, 4);
      const embedder = fakeEmbedder({
        before: (texts, calls) => {
          if (texts.length === 4) throw refused("too many tokens", { status: 413 });
          if (calls > 4) throw refused("nothing listens there");
          return undefined;
        },
      });

      await expect(embed(bench, embedder)).rejects.toThrow("nothing listens there");

      expect(await tally(bench)).toEqual({ "model-a": 2, null: 2 });
    }));

  it("tries little again once a word shows that the texts are to blame", () =>
    withBench(async (bench) => {
      await importTexts(bench, 4);
      const asked: [number, boolean | undefined][] = [];
      const embedder = fakeEmbedder({
        before: (texts, _, { isBrief }) => {
          asked.push([texts.length, isBrief]);
          if (texts.includes(textOf("s0", 0))) throw refused("hung up", { attempts: 2 });
          return undefined;
        },
      });

      await embed(bench, embedder);

      expect(asked).toEqual([
        ...[
          [1, false],
          [4, false],
          [1, false],
        ],
        ...[
          [2, true],
          [1, false],
          [1, true],
          [1, false],
          [1, true],
        ],
        [2, true],
      ]);
    }));

  it("waits out a limit of requests in a minute also while it looks for a text", () =>
    withBench(async (bench) => {
      await importTexts(bench, 4);
      const embedder = fakeEmbedder({
        before: (texts, calls, { isBrief }) => {
          if (texts.length === 4) throw refused("refused", { status: 403 });
          if (calls > 2 && isBrief) throw refused("too many requests", { status: 429 });
          return undefined;
        },
      });

      expect(await embed(bench, embedder)).toMatchObject({ embedded: 4, failed: 0 });
    }));

  it("reports what went wrong while it tries again", () =>
    withBench(async (bench) => {
      await importTexts(bench, 2);
      const retrying: (string | undefined)[] = [];
      const embedder = fakeEmbedder({
        before: (texts, _, { onRetry }) => {
          if (texts.length === 1) return undefined;
          onRetry?.("overloaded");
          throw refused("refused", { status: 403 });
        },
      });

      await embed(bench, embedder, {
        onProgress: (event) => event.stage === "embed" && retrying.push(event.retrying),
      });

      expect(retrying).toEqual([undefined, "overloaded", "refused", undefined, undefined]);
    }));

  it("stops at a limit of requests in a minute, which no text is to blame for", () =>
    withBench(async (bench) => {
      await importTexts(bench, 11);
      const embedder = fakeEmbedder({
        maxTexts: 1,
        before: (texts, calls) => {
          if (calls > 5 && texts[0] !== "pond") throw refused("too many requests", { status: 429 });
          return undefined;
        },
      });

      await expect(embed(bench, embedder)).rejects.toThrow("too many requests");

      expect(await tally(bench)).toEqual({ "model-a": 4, null: 7 });
    }));

  it.each([
    ["a minute", 60, 20],
    ["a moment", 5, 60],
  ])(
    "stops soon when an endpoint answers nothing but a word, each time after %s",
    (_, seconds, most) =>
      withBench(async (bench) => {
        await importTexts(bench, 60);
        const embedder = fakeEmbedder({
          before: (texts) => {
            if (texts[0] !== "pond") throw refused("overloaded", { status: 503, attempts: 5 });
            return undefined;
          },
        });
        const later = () => new Date(embedder.calls.length * seconds * 1_000);

        await expect(embed(bench, embedder, { now: later })).rejects.toThrow("overloaded");

        expect(embedder.asked.length).toBeLessThan(most);
      }),
  );

  it("stops soon when all texts begin to fail, throws the reason and keeps the vectors it has", () =>
    withBench(async (bench) => {
      await importTexts(bench, 60);
      const embedder = fakeEmbedder({
        before: (_, calls) => {
          if (calls > 4) throw new Error("connection refused");
          return undefined;
        },
      });

      const onProgress = (event: SyncProgress) => bench.progress.push(event);
      await expect(embed(bench, embedder, { onProgress })).rejects.toThrow("connection refused");

      expect(await tally(bench)).toEqual({ "model-a": 12, null: 48 });
      expect(bench.progress.at(-1)).toMatchObject({ embedded: 12, stored: 12, total: 60 });
      expect(embedder.calls.length).toBeLessThan(20);
    }));

  it("refuses vectors of another dimension than the embedder's, and stores none", () =>
    withBench(async (bench) => {
      await importTexts(bench, 60);
      const embedder = fakeEmbedder({ before: (texts) => uniformVectors(texts.length, 768) });

      await expect(embed(bench, embedder)).rejects.toThrow(VectorsInvalidError);

      expect(await tally(bench)).toEqual({ null: 60 });
    }));

  it("asks an embedder whose model is missing only once", () =>
    withBench(async (bench) => {
      await importTexts(bench, 6);
      const embedder = fakeEmbedder({
        before: () => {
          throw new ModelMissingError("half a file");
        },
      });

      await expect(embed(bench, embedder)).rejects.toThrow("half a file");

      expect(embedder.calls).toEqual([1]);
    }));
});

describe("consecutive texts that fail", () => {
  it.each([
    ["are too long", new Error("too long")],
    [
      "break the connection",
      new EmbeddingError({
        ...{ model: "model-a", reason: "the connection failed" },
        ...{ isOfEveryText: true, attempts: 2 },
      }),
    ],
  ])("are all listed, and the other texts are embedded, if they %s", (_, error) =>
    withBench(async (bench) => {
      await importTexts(bench, 60);
      const bad = new Set(Array.from({ length: 20 }, (_, at) => textOf("s0", 10 + at)));
      const embedder = fakeEmbedder({
        maxTexts: 16,
        before: (texts) => {
          if (texts.some((text) => bad.has(text))) throw error;
          return undefined;
        },
      });

      const report = await embed(bench, embedder);

      expect(report).toMatchObject({ embedded: 40, remaining: 20, failed: 20 });
      expect(report.faults.length).toBe(20);
      expect(await tally(bench)).toEqual({ "model-a": 40, null: 20 });
    }),
  );
});

describe("another model", () => {
  const all = async (bench: Bench): Promise<void> => {
    await importTexts(bench, 20);
    await embed(bench);
    await bench.sync({ isFoldForced: true });
  };

  it("of the same dimension replaces vectors in place", () =>
    withBench(async (bench) => {
      await all(bench);

      const report = await embed(bench, fakeEmbedder({ modelId: "model-b" }), {
        writeBack: eachBatch,
      });

      expect(report).toMatchObject({ embedded: 20, remaining: 0 });
      expect(await tally(bench)).toEqual({ "model-b": 20 });
      expect(await textIndex(bench)).toEqual([20, 0]);
    }));

  it.each([8, 768])("of %d dimensions replaces the column", (dimension) =>
    withBench(async (bench) => {
      await all(bench);
      const embedder = fakeEmbedder({ modelId: "model-b", dimension });
      const { sessions } = bench;

      const report = await embed(bench, embedder);

      expect(report).toMatchObject({ embedded: 20, remaining: 0, dimension });
      expect(await tally(bench, dimension)).toEqual({ "model-b": 20 });
      expect(await textIndex(bench)).toEqual([20, 0]);
      // The import does not know of it.
      bench.append("s0", line("s0", "m20", textOf("s0", 20)));
      await bench.sync({ isFoldForced: true });
      expect(await tally(bench, dimension)).toEqual({ "model-b": 20, null: 1 });
      expect(await embed(bench, embedder)).toMatchObject({ embedded: 1 });
      const reader = await openSessions(sessions.store.location);
      expect(await reader.store.table("messages").vectorDimension("vector")).toBe(dimension);
      reader.close();
    }),
  );

  it.each([384, 768])("of %d dimensions continues where it was stopped", (dimension) =>
    withBench(async (bench) => {
      await all(bench);
      const controller = new AbortController();
      const first = fakeEmbedder({
        modelId: "model-b",
        dimension,
        before: (_, calls) => {
          // The first call proves that the model works.
          if (calls === 4) controller.abort();
          return undefined;
        },
      });
      const second = fakeEmbedder({ modelId: "model-b", dimension });

      const stopped = await embed(bench, first, { signal: controller.signal });
      const finished = await embed(bench, second);

      expect([stopped.embedded, stopped.remaining]).toEqual([12, 8]);
      expect([finished.embedded, finished.remaining]).toEqual([8, 0]);
      expect(await tally(bench, dimension)).toEqual({ "model-b": 20 });
    }),
  );

  it.each<[string, number, boolean, FakeOptions]>([
    ["of 768 dimensions that is missing", 768, false, {}],
    ["of the same dimension that is missing", 384, false, {}],
    ["that is missing and was forced", 384, true, {}],
    [
      "that returns vectors of another length than it declares",
      768,
      false,
      { before: (texts) => uniformVectors(texts.length, 512) },
    ],
  ])("%s leaves all vectors as they are", (_, dimension, isForced, options) =>
    withBench(async (bench) => {
      await all(bench);
      const before = (): never => {
        throw new ModelMissingError("half a file");
      };
      const embedder = fakeEmbedder({ modelId: "model-b", dimension, before, ...options });

      await expect(embed(bench, embedder, { isForced })).rejects.toThrow();

      expect(await tally(bench)).toEqual({ "model-a": 20 });
      expect(embedder.calls).toEqual([1]);
    }),
  );

  it("leaves all vectors as they are when it is stopped before it begins", () =>
    withBench(async (bench) => {
      await all(bench);
      const embedder = fakeEmbedder({ modelId: "model-b", dimension: 768 });

      const report = await embed(bench, embedder, { signal: AbortSignal.abort() });

      expect([report.embedded, report.remaining, embedder.calls]).toEqual([0, 20, []]);
      expect(await tally(bench)).toEqual({ "model-a": 20 });
    }));

  it.each([
    ["has emptied the vectors", 2, "another model (768 numbers)"],
    ["has stored its own", undefined, "model-b (768 numbers)"],
  ])(
    "of another dimension wins over a concurrent model once it %s, and the other call fails",
    (_, until, by) =>
      withBench(async (bench) => {
        await all(bench);
        const controller = new AbortController();
        const second = fakeEmbedder({
          modelId: "model-b",
          dimension: 768,
          before: (_texts, calls) => {
            if (calls === until) controller.abort();
            controller.signal.throwIfAborted();
            return undefined;
          },
        });
        const first = fakeEmbedder({
          modelId: "model-c",
          before: async (_texts, calls) => {
            // The first call proves that the model works.
            if (calls === 2) await embed(bench, second, { signal: controller.signal });
            return undefined;
          },
        });

        const error = await embed(bench, first).catch((thrown: unknown) => thrown);

        expect(error).toBeInstanceOf(ModelsAtOnceError);
        expect(error).toMatchObject({
          code: "models_at_once",
          message: expect.stringContaining(`model-c (384 numbers)`),
          details: { modelId: "model-c", dimension: 384, stored: { dimension: 768 } },
        });
        expect((error as Error).message).toContain(by);
      }),
  );

  it("is not needed for force, which embeds everything again and may be stopped and continued", () =>
    withBench(async (bench) => {
      await all(bench);
      const controller = new AbortController();
      const first = fakeEmbedder({
        before: (_, calls) => {
          if (calls === 2) controller.abort();
          return undefined;
        },
      });

      const stopped = await embed(bench, first, { isForced: true, signal: controller.signal });
      const finished = await embed(bench);

      expect([stopped.embedded, stopped.remaining]).toEqual([4, 16]);
      expect([finished.embedded, finished.remaining]).toEqual([16, 0]);
      expect(await tally(bench)).toEqual({ "model-a": 20 });
      expect(await textIndex(bench)).toEqual([20, 0]);
    }));
});
