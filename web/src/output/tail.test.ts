import { describe, expect, it } from "vitest";
import { tailText, withPiece } from "./tail";

const EMPTY = { text: "", end: 0 };

describe("the end of a log", () => {
  it("grows by what is new of a piece", () => {
    const first = withPiece(EMPTY, { offset: 0, text: "epoch 0\n" });
    const both = withPiece(first, { offset: 0, text: "epoch 0\nepoch 1\n" });
    expect(both).toEqual({ text: "epoch 0\nepoch 1\n", end: 16 });
    expect(withPiece(both, { offset: 8, text: "epoch 1\n" })).toBe(both);
  });

  it("counts bytes, not characters", () => {
    const first = withPiece(EMPTY, { offset: 0, text: "é\n" });
    expect(first.end).toBe(3);
    expect(withPiece(first, { offset: 3, text: "a" }).text).toBe("é\na");
  });

  it("starts over after a gap", () => {
    const tail = withPiece({ text: "old", end: 3 }, { offset: 1_000, text: "new" });
    expect(tail.text).toBe("new");
  });

  it("shows a progress bar as it stands, without colours", () => {
    const tail = { text: "\u001b[32m10 %\r50 %\rdone\u001b[0m\nnext", end: 1 };
    expect(tailText(tail)).toBe("done\nnext");
  });
});
