// The phi-core session specification, a row a statement: compaction overlays and the tree of loops.
import { expect, test } from "vitest";
import {
  childrenOf,
  getLoop,
  loopChainTo,
  parallelSiblings,
  rootLoops,
  totalUsage,
} from "../navigation.ts";
import type { SessionRecord } from "../record.ts";
import {
  call,
  contentOf,
  idsOf,
  type Row,
  recordOf,
  testRecorder,
  usage,
  user,
} from "../testing.ts";

const block = (text: string) => ({
  keep_first: { startTurn: 0, endTurn: 0 },
  keep_compacted: {
    range: { startTurn: 1, endTurn: 3 },
    messages: [{ role: "user", content: [{ type: "text", text }] }],
  },
});

const compaction: Row[] = [
  [
    "compaction_block field",
    "is an overlay: the messages stay as they are",
    () => {
      const recorder = testRecorder();
      const loop = recorder.loop();
      loop.say(user("All of it."));
      const before = contentOf(recorder).messages;
      const { messages } = loop.record;
      loop.compact(block("[Summary] of it."));

      expect(loop.record.compaction_block).toEqual(block("[Summary] of it."));
      expect(loop.record.messages).toEqual(messages);
      expect(contentOf(recorder).messages.slice(0, before.length)).toEqual(before);
      expect(contentOf(recorder).messages.at(-1)?.options["source"]).toMatchObject({
        boundary: "compaction",
      });
    },
  ],
  [
    "compaction_block field",
    "is replaced and removed again, also when the loop is over",
    () => {
      const loop = testRecorder().loop();
      loop.end();
      loop.compact(block("one"));
      loop.compact(block("two"));
      const replaced = loop.record.compaction_block;
      loop.compact();

      expect(replaced).toEqual(block("two"));
      expect(loop.record).not.toHaveProperty("compaction_block");
    },
  ],
];

const links: Row[] = [
  [
    "Bidirectional parent↔child links",
    "the child names its parent from its start, the parent its child from the child's end",
    () => {
      const recorder = testRecorder();
      const parent = recorder.loop();
      const child = recorder.loop({ continues: parent.loopId });
      const during = [...parent.record.children_loop_ids];
      child.end();

      expect(child.record.parent_loop_id).toBe(parent.loopId);
      expect([during, parent.record.children_loop_ids]).toEqual([[], [child.loopId]]);
    },
  ],
];

/** root -> (a, b); a -> c; root2 */
function tree(): SessionRecord {
  const recorder = testRecorder();
  const add = (loopId: string, continues?: string) =>
    recorder.loop({ loopId, ...(continues && { continues }) }).end({ usage });
  add("root");
  add("a", "root");
  add("b", "root");
  add("c", "a");
  add("root2");
  return recordOf(recorder);
}

const navigation: Row[] = [
  [
    "Loop Tree Navigation",
    "root loops have no parent in their session",
    () => expect(idsOf(rootLoops(tree()))).toEqual(["root", "root2"]),
  ],
  [
    "Loop Tree Navigation",
    "root loops: a parent in another session is none",
    () => {
      const recorder = testRecorder();
      const child = recorder.loop().spawn(call);

      expect(idsOf(rootLoops(recordOf(recorder, child.sessionId)))).toEqual([child.loopId]);
    },
  ],
  [
    "Loop Tree Navigation",
    "direct children of the same session",
    () => expect(idsOf(childrenOf(tree(), "root"))).toEqual(["a", "b"]),
  ],
  [
    "Loop Tree Navigation",
    "parallel siblings, the loop itself among them",
    () => {
      const recorder = testRecorder();
      recorder.loop().end();
      recorder.parallelGroup({ branches: 2 });

      expect(idsOf(parallelSiblings(recordOf(recorder), "s1.w.3"))).toEqual(["s1.w.2", "s1.w.3"]);
      expect(parallelSiblings(recordOf(recorder), "s1.w.1")).toEqual([]);
    },
  ],
  [
    "Loop Tree Navigation",
    "lookup by id",
    () => {
      expect(getLoop(tree(), "c")?.parent_loop_id).toBe("a");
      expect(getLoop(tree(), "nobody")).toBeUndefined();
    },
  ],
  [
    "Loop Tree Navigation",
    "cumulative usage of the session, without counts nobody told",
    () => expect(totalUsage(tree())).toEqual({ input: 50, output: 25, total_tokens: 75 }),
  ],
  [
    "Loop Tree Navigation",
    "what the turns of a loop used, where it broke off or its end told nothing",
    () => {
      const recorder = testRecorder();
      for (const end of ["end", "abort"] as const) {
        const loop = recorder.loop();
        for (const _ of [1, 2]) {
          loop.startTurn();
          loop.endTurn({ input: 10, output: 5 });
        }
        loop[end]();
      }
      const explicit = recorder.loop();
      explicit.startTurn();
      explicit.endTurn({ input: 10, output: 5 });
      explicit.end({ usage: { input: 1, output: 1 } });

      expect(totalUsage(recordOf(recorder))).toEqual({ input: 41, output: 21 });
    },
  ],
  [
    "SUMMARY Methods",
    "the chain to a loop, root first",
    () => expect(idsOf(loopChainTo(tree(), "c"))).toEqual(["root", "a", "c"]),
  ],
  [
    "Identifying branches",
    "branches share their parent, each has the group, one is the winner",
    () => {
      const recorder = testRecorder();
      const parent = recorder.loop();
      parent.end();
      const group = recorder.parallelGroup({ branches: 2, continues: parent.loopId });
      for (const branch of [0, 1]) group.start(branch).end();
      group.select(1);
      const siblings = parallelSiblings(recordOf(recorder), "s1.w.2");

      expect(siblings.map((loop) => loop.parent_loop_id)).toEqual(["s1.w.1", "s1.w.1"]);
      expect(siblings.find((loop) => loop.parallel_group?.is_selected)?.loop_id).toBe("s1.w.3");
    },
  ],
];

test.each([...compaction, ...links, ...navigation])("%s: %s", (_section, _statement, run) => run());
