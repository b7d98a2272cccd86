/** The rules of the specification (sections 3 to 8), one sentence each. */
export const rules: Readonly<Record<string, string>> = {
  "lance-chokepoints": "Only four places of the substrate reach tables, as below.",
  "lance-chokepoints-catalog": "One place looks up where a table is.",
  "lance-chokepoints-read": "Scans and searches are built in one place.",
  "lance-chokepoints-write":
    "Rows are written in one place, by insert-if-absent: a merge, or an append under a lock.",
  "lance-chokepoints-storage": "Bytes go through Lance's object-store layer.",
  "lance-append-only": "Stored rows do not change.",
  "lance-deterministic-pk":
    "A row's key follows from its source alone, so a repeated write adds nothing.",
  "lance-dataset-schema-version": "The schema's version belongs to the table, not to its rows.",
  "lance-table-creation": "What cannot be switched on later is on from the start, as below.",
  "lance-table-creation-stable-row-ids": "Rows keep their ids when files are compacted.",
  "lance-table-creation-unenforced-pk": "A table knows its primary key.",
  "lance-table-creation-session-scoped-pk": "Keys of messages and parts begin with the session.",
  "lance-retry-jitter": "Every call of Lance is retried a few times, at random intervals.",
  "lance-handle-freshness":
    "A reader looks for new versions: at once in a folder, after seconds in a bucket.",
  "lance-index-maintenance":
    "Writes leave indexes alone; a stage of `pond sync` folds new rows into them.",
  "lance-forward-compat": "Nothing that is built prevents what later scale needs, as below.",
  "lance-forward-compat-shardable": "Keys begin with what tables could be sharded by.",
  "lance-forward-compat-no-subsecond-freshness":
    "Nothing promises that a write is seen within milliseconds.",
  "lance-forward-compat-no-cross-shard-atomic-write": "No write spans two families of keys.",
  "model-parent-pointer-coherence": "A cut-point is named with its session, or not at all.",
  "model-project-non-empty": "A session has a project that its source names, or is not stored.",
  "model-no-synthesis": "No value is made up for one that the source does not have.",
  "model-schema-honesty": "A field that some client cannot fill is optional.",
  "model-lossless-projection": "Every field of every record that is read can be restored.",
  "model-part-provenance": "Every part is either conversational or injected, never both.",
  "session-durable-copy": "What is stored outlives its source.",
  "session-embed-from-canonical": "Vectors are made from stored text.",
  "adapter-lineage-complete-restore": "A session is restored with all sessions below it.",
  "adapter-native-restore-lossless":
    "Restored to its own client, a session has equal values; core judges that, not the adapter.",
  "adapter-provenance-required": "A part without a provenance does not compile.",
  "adapter-transport-agnostic-seam": "A record may come from anywhere.",
  "adapter-bounded-values": "A value too large to store becomes a mark that names its size.",
  "adapter-integrity": "What a reader yields keeps the promises below.",
  "adapter-integrity-event-ordering":
    "First the session, then each message directly followed by its parts.",
  "adapter-integrity-no-silent-drops": "What cannot be read is an error that names the place.",
  "adapter-integrity-opaque-ids": "Ids are decoded once and never taken apart again.",
  "adapter-integrity-additive-sync": "A write never replaces a row; a later adapter only adds.",
  "adapter-integrity-dedup": "A reader counts the ids that its source repeats.",
  "wire-namespace-resolution": "One place decides which tables a namespace means.",
  "search-prefilter-pushdown": "Filters apply before anything is ranked.",
  "search-language-neutral-index": "Every language is tokenized alike.",
};
