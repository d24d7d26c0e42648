import { describe, expect, it } from "vitest";
import { formatMetric, mainMetric, mergePoints, polyline } from "./curve";

describe("the curve of the guide", () => {
  it("shows accuracy before loss, and anything before nothing", () => {
    expect(mainMetric(["loss", "val_accuracy"])).toBe("val_accuracy");
    expect(mainMetric(["pi"])).toBe("pi");
    expect(mainMetric([])).toBeUndefined();
  });

  it("takes a point that comes twice once, and keeps the order of steps", () => {
    const first = mergePoints({}, [{ name: "a", step: 1, value: 0.5 }]);
    const all = mergePoints(first, [
      { name: "a", step: 1, value: 0.5 },
      { name: "a", step: 0, value: 0.1 },
      { name: "a", step: 2, value: null },
    ]);
    expect(all.a).toEqual([
      { step: 0, value: 0.1 },
      { step: 1, value: 0.5 },
    ]);
  });

  it("fits any values into its box", () => {
    const points = [
      { step: 10, value: -5 },
      { step: 20, value: 5 },
    ];
    expect(polyline(points)).toBe("0,90 100,10");
    expect(polyline([{ step: 3, value: 7 }])).toBe("0,90");
  });

  it("tells a share as a percentage", () => {
    expect(formatMetric("accuracy", 0.98611)).toBe("98.6 %");
    expect(formatMetric("loss", 0.123456)).toBe("0.1235");
  });
});
