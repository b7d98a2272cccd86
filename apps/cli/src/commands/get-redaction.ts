import type { WirePart, WireSession } from "@pond/canonical";
import type { CutView, SessionPage, ShownMessage } from "@pond/sessions";
import type { Redactor } from "@pond/share";

/**
 * A page of a session without its secrets. Ids stay, because the next page is asked for by them.
 */
export function redactPage(redactor: Redactor, page: SessionPage): SessionPage {
  // In reading order, by which placeholders are numbered.
  const session = redactSession(redactor, page.session);
  return { ...page, session, messages: page.messages.map((each) => redactMessage(redactor, each)) };
}

export function redactView(redactor: Redactor, view: CutView): CutView {
  const mapped = (message: ShownMessage) => redactMessage(redactor, message);
  return {
    ...view,
    session: redactSession(redactor, view.session),
    before: view.before.map(mapped),
    target: mapped(view.target),
    after: view.after.map(mapped),
  };
}

function redactSession(redactor: Redactor, session: WireSession): WireSession {
  const { project, options } = session;
  return { ...session, project: redactor.text(project), options: redactor.json(options) };
}

function redactMessage(redactor: Redactor, message: ShownMessage): ShownMessage {
  const { text, parts_summary: summary, content, options } = message;
  return {
    ...message,
    ...(text !== undefined && { text: redactor.text(text) }),
    ...(summary !== undefined && {
      parts_summary: summary.map((part) =>
        part.name === undefined ? part : { ...part, name: redactor.text(part.name) },
      ),
    }),
    ...(content !== undefined && {
      content:
        typeof content === "string"
          ? redactor.text(content)
          : content.map((part) => redactPart(redactor, part)),
    }),
    ...(options !== undefined && { options: redactor.json(options) }),
  };
}

function redactPart(redactor: Redactor, part: WirePart): WirePart {
  const { id, session_id, message_id, ...rest } = part;
  return { ...redactor.json({ ...rest }), id, session_id, message_id } as WirePart;
}
