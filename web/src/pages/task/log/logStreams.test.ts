import { expect, test } from "vitest";
import type { Task } from "~/api/client";
import { endOffset, folderOf, ranksOf, runChoices, type Streams, selectedRun } from "./logStreams";

const log = (attempt: string, run: number, rank = 0): Streams[number] => ({
  attempt,
  run,
  rank,
  stream: "stdout",
  size: 1,
  folder: `/w/${attempt}/${run}`,
});
const task = {
  attempts: [
    { id: "a1", number: 1, runs: [{ run: 1 }] },
    { id: "a2", number: 2, runs: [{ run: 1 }, { run: 2 }] },
  ],
} as Task;
const logs = [log("a2", 2, 3), log("a2", 2), log("a1", 1), log("a2", 1)];

test("executions are named by attempt, and by run where there was more than one", () => {
  expect(runChoices(task, logs).map((run) => run.label)).toEqual([
    "Attempt 1",
    "Attempt 2, run 1",
    "Attempt 2, run 2",
  ]);
});

test("the newest log is shown unless the address asks for another", () => {
  const runs = runChoices(task, logs);
  expect(selectedRun({}, runs, logs)).toEqual({ attempt: "a2", run: 2, rank: 0 });
  expect(selectedRun({ rank: 3 }, runs, logs)).toEqual({ attempt: "a2", run: 2, rank: 3 });
  expect(selectedRun({ attempt: "a1", rank: 3 }, runs, logs)).toEqual({
    attempt: "a1",
    run: 1,
    rank: 0,
  });
  expect(selectedRun({}, [], [])).toBeNull();
  expect(ranksOf(logs, { attempt: "a2", run: 2 })).toEqual([0, 3]);
  expect(folderOf(logs, { attempt: "a2", run: 1 })).toBe("/w/a2/1");
});

test("a piece ends after its bytes, not after its letters", () => {
  const piece = { task: "t", attempt: "a", run: 1, rank: 0, stream: "stdout", offset: 10 };
  expect(endOffset({ ...piece, text: "é" })).toBe(12);
  expect(endOffset({ ...piece, skipped: [10, 500] })).toBe(500);
});
