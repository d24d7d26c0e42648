import { expect, test } from "vitest";
import type { Image, ImageTransfer } from "./api";
import {
  endpointsWith,
  transferPercent,
  transferStatus,
  transferTitle,
  valueLines,
} from "./imageText";

const MOVE: ImageTransfer = {
  id: "m1",
  kind: "copy",
  image: "i1",
  endpoint: "beta",
  source: "alpha",
  reference: "",
  words: "it waits for alpha",
  state: "running",
  bytes: 512,
  size: 2048,
  message: "",
  created: 0,
  updated: 0,
};

test("an endpoint with two files of an image is named once", () => {
  const copies = [{ endpoint: "alpha" }, { endpoint: "beta" }, { endpoint: "alpha" }];
  expect(endpointsWith({ copies: copies as Image["copies"] })).toEqual(["alpha", "beta"]);
});

test("a transfer says where it goes and how far it is", () => {
  expect(transferTitle(MOVE)).toBe("To beta from alpha");
  expect(transferStatus(MOVE)).toBe("512 B of 2.0 kB");
  expect(transferPercent(MOVE)).toBe(25);
  expect(transferPercent({ bytes: 3, size: 0 })).toBeNull();
});

test("a failed transfer says why, and a waiting one for what", () => {
  expect(transferStatus({ ...MOVE, state: "failed", message: "beta is full" })).toBe(
    "beta is full",
  );
  expect(transferStatus({ ...MOVE, state: "waiting" })).toBe("it waits for alpha");
  expect(transferTitle({ ...MOVE, kind: "push", reference: "lab/x:1" })).toBe(
    "From beta to lab/x:1",
  );
});

test("lists and mappings are read line by line, other texts as they are", () => {
  expect(valueLines('["make", "make test"]')).toBe("make\nmake test");
  expect(valueLines('{"A": "1", "B": 2}')).toBe("A=1\nB=2");
  expect(valueLines("[ -e /x ] || exit")).toBe("[ -e /x ] || exit");
});
