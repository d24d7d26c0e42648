import { expect, test, vi } from "vitest";
import { type Line, LogWindow, lineIndexAt, type Place } from "./LogWindow";

const WIDTH = 10;

/** A log with lines of ten bytes each, which may grow. */
function logOf(count: number) {
  const log = { count };
  const line = (n: number): Line => ({
    offset: n * WIDTH,
    length: WIDTH,
    text: `line ${n}`,
    cut: false,
  });
  const read = vi.fn(async ({ offset, before, count: many }: Place) => {
    const size = log.count * WIDTH;
    const at = offset !== undefined && offset < 0 ? Math.max(0, size + offset) : (offset ?? 0);
    const end = before === undefined ? undefined : Math.floor(before / WIDTH);
    const first = end === undefined ? Math.floor(at / WIDTH) : Math.max(0, end - many);
    const last = end ?? Math.min(log.count, first + many);
    const items = Array.from({ length: Math.max(0, last - first) }, (_, n) => line(first + n));
    return { items, start: first * WIDTH, next: last * WIDTH, size, source: "kept" as const };
  });
  return { log, read, window: new LogWindow(read) };
}

const shown = (window: LogWindow) => window.snapshot().lines.map((line) => line.offset / WIDTH);

test("the end of a long log is opened without reading the rest", async () => {
  const { window, read } = logOf(1_000_000);
  await window.openEnd();
  expect(shown(window).at(-1)).toBe(999_999);
  expect(read).toHaveBeenCalledTimes(2);
});

test("reading up a million lines keeps no more than a few thousand", async () => {
  const { window } = logOf(1_000_000);
  await window.openEnd();
  for (let n = 0; n < 50; n += 1) await window.up();
  const { lines, start, next } = window.snapshot();
  expect(lines.length).toBeLessThanOrEqual(5_000);
  expect(start).toBe(lines[0]?.offset);
  expect(next).toBe((lines.at(-1)?.offset ?? 0) + WIDTH);
  expect(shown(window)).toEqual(Array.from(lines, (_, n) => start / WIDTH + n));
});

test("reading down again finds every line once", async () => {
  const { window } = logOf(20_000);
  await window.openAt(0);
  while (window.snapshot().next < window.snapshot().size) await window.down();
  const lines = shown(window);
  expect(lines.at(-1)).toBe(19_999);
  expect(lines).toEqual(Array.from(lines, (_, n) => (lines[0] ?? 0) + n));
});

test("a link to a line opens it with what stands around it", async () => {
  const { window } = logOf(10_000);
  await window.openAt(5_000 * WIDTH + 3);
  const index = lineIndexAt(window.snapshot().lines, 5_000 * WIDTH + 3);
  expect(shown(window)[index]).toBe(5_000);
  expect(index).toBe(500);
});

test("what is written while one looks is read on", async () => {
  const { window, log } = logOf(10);
  await window.openEnd();
  log.count = 25;
  window.grow(25 * WIDTH);
  await window.catchUp();
  expect(shown(window)).toEqual(Array.from({ length: 25 }, (_, n) => n));
});

test("when far behind, it begins at the end instead of reading everything between", async () => {
  const { window, log, read } = logOf(10);
  await window.openEnd();
  log.count = 1_000_000;
  window.grow(log.count * WIDTH);
  await window.catchUp();
  expect(shown(window).at(-1)).toBe(999_999);
  expect(read.mock.calls.length).toBeLessThan(6);
});

test("an answer that comes after one has looked elsewhere is left aside", async () => {
  const { window, read } = logOf(100);
  let release = () => {};
  read.mockImplementationOnce(async () => {
    await new Promise<void>((go) => {
      release = go;
    });
    throw new Error("too late");
  });
  const first = window.openEnd();
  await window.openAt(0);
  release();
  await first;
  expect(window.snapshot().error).toBeNull();
  expect(shown(window)[0]).toBe(0);
});

test("what is printed while the end is being opened is read on to", async () => {
  const { log, read, window } = logOf(1_000);
  const opening = window.openEnd();
  await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(2));
  log.count = 1_003;
  window.grow(1_003 * WIDTH);
  await window.catchUp();
  await opening;
  expect(shown(window).at(-1)).toBe(1_002);
});

test("a log that grew before anything was heard of it is looked at again", async () => {
  const { log, window } = logOf(10);
  await window.openEnd();
  log.count = 12;
  await window.checkSize();
  await window.catchUp();
  expect(shown(window).at(-1)).toBe(11);
});

test("a read that failed does not end the following", async () => {
  const { log, read, window } = logOf(10);
  await window.openEnd();
  log.count = 12;
  read.mockRejectedValueOnce(new Error("away"));
  window.grow(11 * WIDTH);
  await window.catchUp();
  expect(window.snapshot().error).not.toBeNull();
  window.grow(12 * WIDTH);
  await window.catchUp();
  expect(shown(window).at(-1)).toBe(11);
});
