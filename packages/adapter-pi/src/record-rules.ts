import type { Message } from "@pond/canonical";
import {
  type Course,
  carriedRecord,
  type RecordRules,
  type SessionContent,
  sourceOf,
} from "@pond/canonical/adapter";
import { courseByRules, courseWithout, courseWithoutDuplicates } from "@pond/canonical/foreign";
import { withoutAbandoned } from "./course/abandoned-branches.ts";
import { entryFields } from "./course/entry-fields.ts";
import { withoutExcluded } from "./course/excluded.ts";
import { contextText, isVisibleToModel } from "./course/model-input.ts";
import { isAside } from "./records/side-question.ts";
import { isTypedAnswer } from "./records/typed-answers.ts";

/** What the records of pi and omp mean to models of other clients. */
export const piRecordRules: RecordRules = { course, contextText, agentLabel };

function course({ messages }: SessionContent): Course {
  const fields = entryFields(
    messages.filter((message) => !isTypedAnswer(message) && !isAside(message)),
  );
  return courseByRules(messages, [
    (live) => courseWithout(live, new Set(live.filter(isAside))),
    // A model hears them in the result, which alone has a place in the tree.
    (live) => courseWithoutDuplicates(live, isTypedAnswer),
    // An edit on an abandoned branch only counts there, and so does a reset.
    (live) => withoutAbandoned(live, fields),
    withoutCleared,
    (live) => withoutExcluded(live, fields),
  ]);
}

/**
 * After `/clear` omp's models start anew. A `/clear` after which nothing was said has cleared
 * nothing yet.
 */
function withoutCleared(messages: readonly Message[]): Course {
  const lastVisible = messages.findLastIndex(isVisibleToModel);
  const reset = messages.findLastIndex(
    (message, index) =>
      index < lastVisible && carriedRecord(message)?.["type"] === "reset_boundary",
  );
  const from = Math.max(reset, 0);
  return { live: messages.slice(from), undone: messages.slice(0, from) };
}

/** An agent's log has the name that omp's calls and results use for it (formats, section 6). */
function agentLabel({ session }: SessionContent): string | undefined {
  const { artifact } = sourceOf(session);
  return typeof artifact === "string" ? /([^/]+)\.jsonl$/.exec(artifact)?.[1] : undefined;
}
