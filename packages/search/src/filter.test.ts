import { projectFilter } from "@pond/sessions";
import { and, eq, gte, lt, or } from "@pond/substrate";
import { describe, expect, it } from "vitest";
import { FilterError } from "./errors.ts";
import { toScope } from "./filter.ts";

const query = "x";

describe("toScope", () => {
  it("sets no bounds for a request without filters", () => {
    expect(toScope({ query })).toEqual({
      messages: undefined,
      windows: undefined,
      hasMessageFilters: false,
    });
  });

  it("applies the filter of a project to messages and windows alike", () => {
    const project = projectFilter("/a/b");

    expect(toScope({ query, project: "/a/b" })).toEqual({
      messages: project,
      windows: project,
      hasMessageFilters: false,
    });
  });

  it("does not filter windows by role, and keeps those that may reach into the time range", () => {
    const agent = eq("source_agent", "codex");
    const since = gte("timestamp", { micros: 1_767_225_600_000_000n });
    const dayBefore = gte("timestamp", { micros: 1_767_139_200_000_000n });
    const until = lt("timestamp", { micros: 1_767_312_000_000_001n });
    // A title is of every time.
    const title = eq("timestamp", { micros: 0n });

    expect(
      toScope({
        query,
        role: "user",
        agent: "codex",
        since: "2026-01-01",
        until: "2026-01-02T00:00:00.000001Z",
      }),
    ).toEqual({
      messages: and(agent, since, until, eq("role", "user")),
      windows: and(agent, or(and(dayBefore, until), title)),
      hasMessageFilters: true,
    });
  });

  it.each([
    ["an unknown filter", { porject: "/a" }, "porject"],
    ["an unknown role", { role: "robot" }, "role"],
    ["a role that is never searched", { role: "system" }, "role"],
    ["an empty project", { project: " " }, "project"],
    ["an invalid time", { since: "yesterday" }, "since"],
    ["a date that does not exist", { until: "2026-13-40" }, "until"],
    ["a range that ends before it begins", { since: "2026-02-01", until: "2026-01-01" }, "until"],
    ["an empty range", { since: "2026-01-01", until: "2026-01-01" }, "until"],
  ])("refuses %s", (_, filters, field) => {
    const scope = () => toScope({ query, ...filters });

    expect(scope).toThrow(FilterError);
    expect(scope).toThrow(new RegExp(`^${field}: `));
  });
});
