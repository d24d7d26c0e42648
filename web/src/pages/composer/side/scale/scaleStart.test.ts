import { expect, test } from "vitest";
import { isForJob, parseNodeCounts, scaleStart } from "./scaleStart";

test("numbers of machines as people write them", () => {
  expect(parseNodeCounts("1, 2 4;8")).toEqual([1, 2, 4, 8]);
  expect(parseNodeCounts("")).toEqual([]);
  for (const text of ["some", "x8", "0, 5", "1.5", "-2"]) expect(parseNodeCounts(text)).toBeNull();
});

test("a scale is of the job that it was begun for, whatever its params became", () => {
  const begun = scaleStart("s1", { name: "net", run: "python t.py {batch}", params: { batch: 8 } });
  expect(isForJob(begun, { name: "net", run: "python t.py {batch}", params: { batch: 4 } })).toBe(
    true,
  );
  expect(isForJob(begun, { name: "net", run: "python other.py" })).toBe(false);
  expect(isForJob(begun, {})).toBe(false);
});
