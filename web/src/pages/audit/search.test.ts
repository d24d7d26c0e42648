import { expect, test } from "vitest";
import { auditFilters, auditSearch, exportUrl } from "./search";

test("an unknown span is none", () => {
  expect(auditSearch({ span: "year", search: "jobs" })).toEqual({ search: "jobs" });
});

test("what is exported is what is shown", () => {
  const wanted = auditFilters({ search: "POST /jobs", span: "day" }, 100_000);
  expect(exportUrl(wanted, "csv")).toBe(
    "/api/v1/audit/export?search=POST+%2Fjobs&since=13600&kind=csv",
  );
});
