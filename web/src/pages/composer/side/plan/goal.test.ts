import { expect, test } from "vitest";
import { EMPTY_GOAL, goalOf, isInvalidNumber, parseNumber, savedGoal } from "./goal";

test("nothing is asked before the amount and the pace are known", () => {
  expect(goalOf(EMPTY_GOAL)).toBeNull();
  expect(goalOf({ ...EMPTY_GOAL, steps: "100" })).toBeNull();
  expect(goalOf({ ...EMPTY_GOAL, by: "epochs", epochs: "3", batch: "8", like: "t1" })).toBeNull();
});

test("steps with a pace, or with a task that tells it", () => {
  expect(goalOf({ ...EMPTY_GOAL, steps: "200 000", stepSeconds: "0.35" })).toEqual({
    steps: 200_000,
    like: "",
    step_seconds: 0.35,
    save_seconds: 0,
  });
  expect(
    goalOf({ ...EMPTY_GOAL, steps: "10", like: " t7 ", saveSeconds: "20", saveGigabytes: "1.5" }),
  ).toEqual({
    steps: 10,
    like: "t7",
    save_seconds: 20,
    save_gigabytes: 1.5,
  });
});

test("numbers as people write them", () => {
  expect(parseNumber("1,000,000")).toBe(1_000_000);
  expect(parseNumber("1 000_000")).toBe(1_000_000);
  expect(parseNumber("1,234.5")).toBe(1234.5);
  expect(parseNumber("0,5")).toBeUndefined();
  expect(parseNumber("1,5")).toBeUndefined();
  expect(parseNumber("some")).toBeUndefined();
  expect(parseNumber("-3")).toBeUndefined();
  expect(["", " ", "3", "lots", "0,5"].map(isInvalidNumber)).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
});

test("the goal goes along with the job unless that is switched off", () => {
  const draft = { ...EMPTY_GOAL, steps: "10", stepSeconds: "1" };
  expect(savedGoal(draft)).toEqual(goalOf(draft));
  expect(savedGoal({ ...draft, keep: false })).toBeNull();
});
