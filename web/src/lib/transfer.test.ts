import { expect, test } from "vitest";
import { transferText } from "./transfer";

const MB = 2 ** 20;

test("a transfer says bytes, percentage and time left once there is a pace", () => {
  const at = (sent: number, seconds: number) =>
    transferText({ sent, total: 80 * MB, since: 0 }, 1000 * seconds);
  expect(at(8 * MB, 0.5)).toBe("8.0 MB of 80.0 MB (10 %)");
  expect(at(20 * MB, 5)).toBe("20.0 MB of 80.0 MB (25 %), about 15 s left");
  expect(at(80 * MB, 20)).toBe("80.0 MB of 80.0 MB (100 %), saving");
});
