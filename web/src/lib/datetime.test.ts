import { expect, test } from "vitest";
import { fromInputValue, periodStatus, toInputValue } from "./datetime";

test("a moment comes back from its field, to the minute", () => {
  expect(fromInputValue(toInputValue(1_700_000_040))).toBe(1_700_000_040);
  expect(toInputValue(null)).toBe("");
  expect(fromInputValue("")).toBeNull();
});

test("what has no end holds until it is removed", () => {
  expect(periodStatus({ starts: 10, ends: null }, 20)).toBe("now");
  expect(periodStatus({ starts: 30, ends: null }, 20)).toBe("scheduled");
  expect(periodStatus({ starts: null, ends: 15 }, 20)).toBe("expired");
});
