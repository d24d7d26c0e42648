import { expect, test } from "vitest";
import { isComplete, lastPart } from "./logPart";

test("a step that has ended is read as far as it goes, the last of it when it is long", () => {
  expect(lastPart(100, 300)).toEqual({ offset: 100, limit: 200 });
  expect(lastPart(100, 1_000_100)).toEqual({ offset: 936_100, limit: 64_000 });
  expect(lastPart(100, 100).limit).toBe(1);
});

test("of a running step the last output is read", () => {
  expect(lastPart(100, null).offset).toBe(-64_000);
});

test("a step whose end was reported before its last output is read on", () => {
  expect(isComplete({ text: "", start: 100, end: 180 }, 300)).toBe(false);
  expect(isComplete({ text: "", start: 100, end: 300 }, 300)).toBe(true);
  expect(isComplete({ text: "", start: 100, end: 300 }, null)).toBe(false);
});
