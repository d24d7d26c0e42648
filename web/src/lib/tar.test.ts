import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { tarOf } from "./tar";

it("makes a tar that other programs read", () => {
  const content = Uint8Array.from({ length: 700 }, (_, at) => at % 256);
  const tar = tarOf("a".repeat(64), content);
  const listed = execFileSync("tar", ["-tvf", "-"], { input: tar, encoding: "utf8" });
  expect(listed).toContain(` 700 `);
  expect(listed.trim().endsWith("a".repeat(64))).toBe(true);
  const out = execFileSync("tar", ["-xOf", "-"], { input: tar });
  expect([...out]).toEqual([...content]);
});
