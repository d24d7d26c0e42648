import { expect, test } from "vitest";
import type { Schemas, Task } from "~/api/client";
import { attemptsOf, gapWords, isChain, standing } from "./words";

const ATTEMPT = { id: "a1", started: null, ended: null, arrived: null, reason: "" };
const attempt = (more: object) => ({ ...ATTEMPT, ...more }) as unknown as Schemas["Attempt"];
const CHAIN = { budget: null, words: "" };
const task = (attempts: number, more: object = {}) =>
  ({ attempts: Array(attempts), chain: { ...CHAIN, ...more } }) as unknown as Task;

test("one attempt alone is no chain", () => {
  expect(isChain(task(1))).toBe(false);
  expect(isChain(task(2))).toBe(true);
  expect(isChain(task(1, { words: "It can go on from 3.pt" }))).toBe(true);
});

test("a follow-up waits ahead until it takes over", () => {
  expect(standing(attempt({}), "a1", "a0")).toBe("queued ahead");
  expect(standing(attempt({ arrived: 5 }), "a1", "a0")).toContain("take over");
  expect(standing(attempt({ started: 5 }), "", "a1")).toBe("running");
  expect(standing(attempt({ started: 5, ended: 9, ending: "time limit" }), "", "")).toBe(
    "time limit",
  );
  expect(standing(attempt({}), "", "a1")).toBe("waiting");
});

test("gaps in words", () => {
  expect(gapWords(null)).toBe("");
  expect(gapWords(0.2)).toBe("none");
  expect(gapWords(125)).toBe("2 min 5 s");
});

test("a number of attempts is a whole one above zero, or left out", () => {
  expect([attemptsOf(" 12 "), attemptsOf(""), attemptsOf("two"), attemptsOf("0")]).toEqual([
    12,
    null,
    undefined,
    undefined,
  ]);
});
