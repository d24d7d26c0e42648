import { expect, test } from "vitest";
import { begunFor, isOf, nodesOf } from "./words";

test("numbers of machines as people write them", () => {
  expect(nodesOf("1, 2 4;8")).toEqual([1, 2, 4, 8]);
  expect(nodesOf("")).toEqual([]);
  for (const text of ["some", "x8", "0, 5", "1.5", "-2"]) expect(nodesOf(text)).toBeNull();
});

test("a scale is of the job that it was begun for, whatever its params became", () => {
  const begun = begunFor("s1", { name: "net", run: "python t.py {batch}", params: { batch: 8 } });
  expect(isOf(begun, { name: "net", run: "python t.py {batch}", params: { batch: 4 } })).toBe(true);
  expect(isOf(begun, { name: "net", run: "python other.py" })).toBe(false);
  expect(isOf(begun, {})).toBe(false);
});
