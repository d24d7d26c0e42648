import { expect, test } from "vitest";
import type { Schemas, Task } from "~/api/client";
import { attemptState, gapText, isChain, parseAttempts } from "./attempts";

const ATTEMPT = { id: "a1", started: null, ended: null, arrived: null, reason: "" };
const attempt = (more: object) => ({ ...ATTEMPT, ...more }) as unknown as Schemas["Attempt"];
const CHAIN = { budget: null, words: "" };
const task = (attempts: number, more: object = {}) =>
  ({ attempts: Array(attempts), chain: { ...CHAIN, ...more } }) as unknown as Task;

test("one attempt alone is not a chain", () => {
  expect(isChain(task(1))).toBe(false);
  expect(isChain(task(2))).toBe(true);
  expect(isChain(task(1, { words: "It can continue from 3.pt" }))).toBe(true);
});

test("a follow-up waits ahead until it takes over", () => {
  expect(attemptState(attempt({}), "a1", "a0")).toBe("queued ahead");
  expect(attemptState(attempt({ arrived: 5 }), "a1", "a0")).toContain("take over");
  expect(attemptState(attempt({ started: 5 }), "", "a1")).toBe("running");
  expect(attemptState(attempt({ started: 5, ended: 9, ending: "time limit" }), "", "")).toBe(
    "time limit",
  );
  expect(attemptState(attempt({}), "", "a1")).toBe("waiting");
});

test("gaps as text", () => {
  expect(gapText(null)).toBe("");
  expect(gapText(0.2)).toBe("none");
  expect(gapText(125)).toBe("2 min 5 s");
});

test("a number of attempts is a whole one above zero, or left out", () => {
  expect([
    parseAttempts(" 12 "),
    parseAttempts(""),
    parseAttempts("two"),
    parseAttempts("0"),
  ]).toEqual([12, null, undefined, undefined]);
});
