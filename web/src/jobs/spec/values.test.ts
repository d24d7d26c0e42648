import { expect, test } from "vitest";
import { parseExact } from "./exactJson";
import { PLAIN, readCount, readRequirements, readValue, showValue, TYPED } from "./values";

const isExact = "rawJSON" in JSON;

test.runIf(isExact)("numbers stay as they were written", () => {
  const text = '{"lr":1.0,"seed":12345678901234567890,"eps":1e-8,"n":3}';
  expect(JSON.stringify(parseExact(text))).toBe(text);
});

test("what is typed is read as a number, a truth value or a list where it is written as one", () => {
  expect(readValue("3")).toBe(3);
  expect(readValue("true")).toBe(true);
  expect(readValue("[1, 2]")).toEqual([1, 2]);
  expect(readValue("adam")).toBe("adam");
  expect(readValue("007")).toBe("007");
  expect(readValue('{"a": 1}')).toBe('{"a": 1}');
});

test("an exact number is shown as it was typed", () => {
  expect(showValue(readValue("0.10"))).toBe("0.10");
  expect(JSON.stringify(readValue("0.10"))).toBe(isExact ? "0.10" : '"0.10"');
});

test("a text that looks like a number is shown in quotes, and read back as a text", () => {
  expect(TYPED.show("3.11")).toBe('"3.11"');
  expect(TYPED.read('"3.11"')).toBe("3.11");
  expect(PLAIN.read("3.11")).toBe("3.11");
});

test("a count is a number, and anything else is left to the service", () => {
  expect(readCount(" 4 ")).toBe(4);
  expect(readCount("four")).toBe("four");
});

test("a requirements.txt gives its packages without comments", () => {
  const text = "# ours\ntorch==2.13.0  # exact\n\nmylib @ https://x.example/a.whl#sha256=1\n";
  expect(readRequirements(text)).toEqual([
    "torch==2.13.0",
    "mylib @ https://x.example/a.whl#sha256=1",
  ]);
});
