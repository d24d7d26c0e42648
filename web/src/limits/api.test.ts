import { expect, test } from "vitest";
import { inBytes, inGigabytes } from "./api";

test("limits go to the units that a person types and back; none stays none", () => {
  const kept = { node_hours: 100, running_tasks: null, storage_bytes: 2.5 * 2 ** 30 };
  expect(inGigabytes(kept).gigabytes).toBe(2.5);
  expect(inBytes(inGigabytes(kept))).toEqual(kept);
});
