import { expect, test } from "vitest";
import { isForJob, parseNodeCounts, scaleStart } from "./scaleStart";

test("node counts as people write them", () => {
  expect(parseNodeCounts("1, 2 4;8")).toEqual([1, 2, 4, 8]);
  expect(parseNodeCounts("")).toEqual([]);
  for (const text of ["some", "x8", "0, 5", "1.5", "-2"]) expect(parseNodeCounts(text)).toBeNull();
});

test("a scale belongs to the job it was started for, whatever its params became", () => {
  const started = scaleStart("s1", {
    name: "net",
    run: "python t.py {batch}",
    params: { batch: 8 },
  });
  expect(isForJob(started, { name: "net", run: "python t.py {batch}", params: { batch: 4 } })).toBe(
    true,
  );
  expect(isForJob(started, { name: "net", run: "python other.py" })).toBe(false);
  expect(isForJob(started, {})).toBe(false);
});
