import { expect, test } from "vitest";
import type { Schemas } from "~/api/client";
import { factsOf, happened } from "./happenings";

const line = (type: string, data: Record<string, unknown> = {}) =>
  ({ type, data }) as Schemas["HistoryLine"];

test("events are described with where and how", () => {
  expect(happened(line("started", { node: "gpu07" }))).toBe("Program started on gpu07");
  expect(happened(line("exited", { exit_code: 0 }))).toBe("Program ended with exit code 0");
  expect(happened(line("observed", { native_state: "PENDING" }))).toBe(
    "Batch system state: PENDING",
  );
  expect(happened(line("eclipse"))).toBe("eclipse");
});

test("empty values are left out", () => {
  expect(factsOf(line("x", { a: "", b: null, c: false, d: 0 }))).toEqual([["d", 0]]);
});
