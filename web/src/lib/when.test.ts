import { expect, test } from "vitest";
import { asField, asMoment, phaseOf } from "./when";

test("a moment comes back from its field, to the minute", () => {
  expect(asMoment(asField(1_700_000_040))).toBe(1_700_000_040);
  expect(asField(null)).toBe("");
  expect(asMoment("")).toBeNull();
});

test("what has no end holds until it is removed", () => {
  expect(phaseOf({ starts: 10, ends: null }, 20)).toBe("now");
  expect(phaseOf({ starts: 30, ends: null }, 20)).toBe("scheduled");
  expect(phaseOf({ starts: null, ends: 15 }, 20)).toBe("expired");
});
