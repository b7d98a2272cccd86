import { SessionNotFoundError } from "@pond/sessions";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { sessionOf, testPond } from "../testing.ts";
import { withIdCandidates } from "./id-candidates.ts";

const pond = testPond();
const ids = Array.from({ length: 300 }, (_, at) => `ses_${String(at).padStart(3, "0")}`);

beforeAll(async () => {
  await pond.ask("ingest", { events: ids.toReversed().map((id) => sessionOf(id)) });
});
afterAll(() => pond.remove());

test("names five of 300 ids that begin as the one asked for, counts all, and reads only 50", async () => {
  const sessions = await pond.namespaces.open(undefined, "read");
  const table = sessions.store.table("sessions");
  using rows = vi.spyOn(table, "rows");

  const error = await withIdCandidates(new SessionNotFoundError("ses_"), sessions, "ses_");

  expect(error).toMatchObject({
    message: expect.stringMatching(/ids are given whole: ses_000, .* ses_004 and 295 more$/),
    details: { session_id: "ses_", candidates: ids.slice(0, 5), count: 300 },
  });
  expect((await rows.mock.results[0]?.value)?.length).toBe(50);
});

test("names them for a search in a session, too", async () => {
  const error = pond.ask("search", { query: "x", session: "ses_29" });

  await expect(error).rejects.toMatchObject({
    code: "validation_failed",
    message: expect.stringMatching(
      /^session: no session "ses_29" .* given whole: ses_290, .* more$/,
    ),
    details: { field: "session", session_id: "ses_29", count: 10 },
  });
});
