import { expect, test } from "vitest";
import type { Schemas } from "~/api/client";
import { eventFacts, eventTitle } from "./events";

const line = (type: string, data: Record<string, unknown> = {}) =>
  ({ type, data }) as Schemas["HistoryLine"];

test("events are described with where and how", () => {
  expect(eventTitle(line("started", { node: "gpu07" }))).toBe("Program started on gpu07");
  expect(eventTitle(line("exited", { exit_code: 0 }))).toBe("Program ended with exit code 0");
  expect(eventTitle(line("observed", { native_state: "PENDING" }))).toBe(
    "Batch system state: PENDING",
  );
  const handOver = line("observed", { native_state: "FAILED", exit_code: 75 });
  expect(eventTitle(handOver)).toBe("Batch job ended, to be continued (exit code 75)");
  expect(eventTitle(line("eclipse"))).toBe("eclipse");
});

test("empty values are left out", () => {
  expect(eventFacts(line("x", { a: "", b: null, c: false, d: 0 }))).toEqual([["d", 0]]);
});
