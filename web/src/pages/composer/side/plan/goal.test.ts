import { expect, test } from "vitest";
import { goalOf, isNoNumber, keptGoal, NOTHING, numberOf } from "./goal";

test("nothing is asked before the amount and the pace are known", () => {
  expect(goalOf(NOTHING)).toBeNull();
  expect(goalOf({ ...NOTHING, steps: "100" })).toBeNull();
  expect(goalOf({ ...NOTHING, by: "epochs", epochs: "3", batch: "8", like: "t1" })).toBeNull();
});

test("steps with a pace, or with a task that tells it", () => {
  expect(goalOf({ ...NOTHING, steps: "200 000", stepSeconds: "0.35" })).toEqual({
    steps: 200_000,
    like: "",
    step_seconds: 0.35,
    save_seconds: 0,
  });
  expect(
    goalOf({ ...NOTHING, steps: "10", like: " t7 ", saveSeconds: "20", saveGigabytes: "1.5" }),
  ).toEqual({
    steps: 10,
    like: "t7",
    save_seconds: 20,
    save_gigabytes: 1.5,
  });
});

test("numbers as people write them", () => {
  expect(numberOf("1,000,000")).toBe(1_000_000);
  expect(numberOf("1 000_000")).toBe(1_000_000);
  expect(numberOf("1,234.5")).toBe(1234.5);
  expect(numberOf("0,5")).toBeUndefined();
  expect(numberOf("1,5")).toBeUndefined();
  expect(numberOf("some")).toBeUndefined();
  expect(numberOf("-3")).toBeUndefined();
  expect(["", " ", "3", "lots", "0,5"].map(isNoNumber)).toEqual([false, false, false, true, true]);
});

test("the goal goes along with the job unless that is switched off", () => {
  const draft = { ...NOTHING, steps: "10", stepSeconds: "1" };
  expect(keptGoal(draft)).toEqual(goalOf(draft));
  expect(keptGoal({ ...draft, keep: false })).toBeNull();
});
