import { describe, expect, it } from "vitest";
import {
  count,
  duration,
  durationRange,
  formatBytes,
  formatHours,
  formatNumber,
  shortDuration,
  timeAgo,
} from "./format";

describe("duration", () => {
  it.each([
    [0.3, "under 1 s"],
    [59.6, "1 min"],
    [125, "2 min 5 s"],
    [7_500, "2 h 5 min"],
    [90_000, "1 d 1 h"],
    [86_405, "1 d"],
  ])("%d seconds read %s", (seconds, text) => expect(duration(seconds)).toBe(text));
});

describe("brief", () => {
  it.each([
    [0.44, "0.4 s"],
    [3, "3 s"],
    [75, "1 min 15 s"],
  ])("%d seconds read %s", (seconds, text) => expect(shortDuration(seconds)).toBe(text));
});

describe("ago", () => {
  it.each([
    [100, "just now"],
    [40, "1 min ago"],
    [-100, "3 min ago"],
    [7_300, "in 2 h"],
  ])("at %d, seen from 100, reads %s", (at, text) => expect(timeAgo(at, 100)).toBe(text));
});

describe("sizes and numbers", () => {
  it("count bytes in thousands, as disks do", () => {
    expect([
      formatBytes(0),
      formatBytes(999),
      formatBytes(1_536),
      formatBytes(2.5 * 2 ** 30),
    ]).toEqual(["0 B", "999 B", "1.5 kB", "2.5 GB"]);
  });
  it("name a span once where its ends read the same", () => {
    expect([durationRange(10_800, 10_805), durationRange(60, 7200)]).toEqual([
      "3 h",
      "1 min to 2 h",
    ]);
  });
  it("name one thing and several", () => {
    expect([count(1, "task"), count(2, "task"), count(2, "entry", "entries")]).toEqual([
      "1 task",
      "2 tasks",
      "2 entries",
    ]);
  });
  it("keep four digits of a metric", () => {
    expect([formatNumber(0.98611), formatNumber(0.000012), formatNumber(Number.NaN)]).toEqual([
      "0.9861",
      "1.20e-5",
      "NaN",
    ]);
  });
  it("count node-hours to the hundredth", () => {
    expect([
      formatHours(9.6561),
      formatHours(12),
      formatHours(0.001),
      formatHours(0),
      formatHours(12_345.6),
    ]).toEqual(["9.66", "12", "under 0.01", "0", "12,346"]);
  });
});
