import { expect, test } from "vitest";
import { taskSearch } from "./search";

test("an address is read for what the page knows", () => {
  expect(taskSearch({ tab: "log", at: "1048576", wrap: true, stream: "stderr" })).toEqual({
    tab: "log",
    at: 1048576,
    wrap: true,
    stream: "stderr",
  });
});

test("what makes no sense is left aside rather than shown as an error", () => {
  expect(taskSearch({ tab: "gossip", at: "soon", smooth: "", x: "moon", path: "" })).toEqual({});
});
