import { isJsonObject, type Provenance } from "@pond/canonical";
import { type Change, each, withId } from "./readers.ts";

// Readers that say something their source does not say, or name the wrong speaker.

export const inventsProject: Change = each((event) => {
  if (event.kind !== "session") return [event];
  return [{ ...event, session: { ...event.session, project: "unknown" } }];
});

export const inventsTimes: Change = each((event) => {
  if (event.kind !== "message") return [event];
  return [{ ...event, message: { ...event.message, timestamp: 0n } }];
});

export const inventsIds: Change = each((event) =>
  event.kind === "part" ? [withId(event, `made-up-${event.part.id}`)] : [event],
);

export const inventsText: Change = each((event) => {
  if (event.kind !== "part" || event.part.type !== "text") return [event];
  return [{ ...event, part: { ...event.part, text: `${event.part.text} (edited)` } }];
});

export const inventsOptions: Change = each((event) => {
  if (event.kind !== "message") return [event];
  const { source } = event.message.options;
  const cost = { ...(isJsonObject(source) ? source : {}), usage: { cost: 4.25 } };
  return [{ ...event, message: { ...event.message, options: { source: cost } } }];
});

export const callsAllTyped: Change = classifiedAs("conversational");

export const callsAllInjected: Change = classifiedAs("injected");

export const losesInjected: Change = each((event) =>
  event.kind === "part" && event.part.provenance === "injected" ? [] : [event],
);

export const classifiesNothing: Change = each((event) => {
  if (event.kind !== "part") return [event];
  const part = { ...event.part };
  Reflect.deleteProperty(part, "provenance");
  return [{ ...event, part }];
});

function classifiedAs(provenance: Provenance): Change {
  return each((event) =>
    event.kind === "part" ? [{ ...event, part: { ...event.part, provenance } }] : [event],
  );
}
