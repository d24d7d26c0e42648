import { expect, test } from "vitest";
import type { Schemas } from "~/api/client";
import { factsOf, happened } from "./happenings";

const line = (type: string, data: Record<string, unknown> = {}) =>
  ({ type, data }) as Schemas["HistoryLine"];

test("events are told in words, with where and how", () => {
  expect(happened(line("started", { node: "gpu07" }))).toBe("The program started on gpu07");
  expect(happened(line("exited", { exit_code: 0 }))).toBe("The program ended with code 0");
  expect(happened(line("observed", { native_state: "PENDING" }))).toBe(
    "The batch system says: PENDING",
  );
  expect(happened(line("eclipse"))).toBe("eclipse");
});

test("what is empty is not told", () => {
  expect(factsOf(line("x", { a: "", b: null, c: false, d: 0 }))).toEqual([["d", 0]]);
});
