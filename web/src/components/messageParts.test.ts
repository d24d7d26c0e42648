import { expect, test } from "vitest";
import { messageParts } from "./messageParts";

test("what stands in backticks is every second part, and shown as code", () => {
  expect(messageParts("Run `diamond up` first.")).toEqual(["Run ", "diamond up", " first."]);
});

test("a message whose backticks do not pair is shown as it is", () => {
  expect(messageParts("no command: `foo")).toEqual(["no command: `foo"]);
});
