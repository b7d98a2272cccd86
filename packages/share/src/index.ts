export { toHtml } from "./html/to-html.ts";
export { toMarkdown } from "./markdown/to-markdown.ts";
export {
  createRedactor,
  type RedactedCount,
  type Redactor,
  type RedactorOptions,
} from "./redact/redactor.ts";
export type { PageOptions, SharedMessage, SharedPart, SharedSession } from "./shared-session.ts";
