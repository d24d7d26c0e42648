import { expect, test } from "vitest";
import { attemptsText, lossText, waitText } from "./planText";

const sure = { quantile: 0.95, confidence: 0.95, samples: 74, words: "95% start sooner" };

test("waits name what is usual and what they stay under", () => {
  expect(waitText({ ...sure, typical: 720, bound: 18000 })).toBe(
    "typically 12 min, up to 5 h: 95% start sooner",
  );
  expect(waitText({ ...sure, typical: null, bound: null, words: "unknown" })).toBe("unknown");
});

test("attempts ask for the whole limit, and the last is done sooner", () => {
  const plan = { attempts: 3, attempt_minutes: 480, last_attempt_minutes: 125 };
  expect(attemptsText(plan)).toBe("3 × 8 h, the last done after 2 h 5 min");
  expect(attemptsText({ ...plan, attempts: 1 })).toBe("1 × 8 h, done after 2 h 5 min");
});

test("a loss by interruptions, without digits that nobody can know", () => {
  const plan = { lost_at_most_seconds: 4500, interruptions: 0.02 };
  expect(lossText(plan)).toBe("up to 1 h 15 min per interruption (almost none expected)");
  expect(lossText({ ...plan, interruptions: 1.26 })).toContain("(1.3 expected)");
});
