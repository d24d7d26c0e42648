import { expect, test } from "vitest";
import type { Schemas } from "~/api/client";
import type { Place } from "./LogWindow";
import { joinedReader } from "./logSource";

const LOGS = ["a1\na2\na3\n", "", "c1\nc2\n"];

/** As the service answers for one log. */
async function readOne(n: number, place: Place): Promise<Schemas["LogLines"]> {
  const text = LOGS[n] as string;
  const lines: Schemas["LogLine"][] = [];
  for (let at = 0; at < text.length; at += 3) {
    lines.push({ offset: at, length: 3, text: text.slice(at, at + 2), cut: false });
  }
  const from = (place.offset ?? 0) < 0 ? text.length + (place.offset ?? 0) : (place.offset ?? 0);
  const items =
    place.before === undefined
      ? lines.filter(({ offset }) => offset + 3 > from).slice(0, place.count)
      : lines.filter(({ offset }) => offset + 3 <= (place.before ?? 0)).slice(-place.count);
  const last = items.at(-1);
  const next = last ? last.offset + 3 : Math.max(0, from);
  return { items, start: items[0]?.offset ?? 0, next, size: text.length, source: "kept" };
}

const labels = ["Attempt 1", "Attempt 2", "Attempt 3"].map((label) => ({ label }));
const reader = () =>
  joinedReader(
    labels,
    readOne,
    LOGS.map(({ length }) => length),
  );
const texts = (page: Schemas["LogLines"]) =>
  page.items.map(({ text }) => text.replaceAll("─", "").trim());

const ALL = ["Attempt 1", "a1", "a2", "a3", "Attempt 2", "Attempt 3", "c1", "c2"];

test("the logs of all attempts read as one, from either end", async () => {
  const size = 9 + 0 + 6 + 3;
  const down = await reader()({ offset: 0, count: 100 });
  expect(texts(down)).toEqual(ALL);
  expect([down.start, down.next, down.size]).toEqual([0, size, size]);
  const up = await reader()({ before: size, count: 100 });
  expect(texts(up)).toEqual(ALL);
  expect(up.start).toBe(0);
});

test("pages join without a gap or a repeat, whatever their size", async () => {
  for (const count of [1, 2, 3, 5]) {
    const read = reader();
    const seen: string[] = [];
    for (let at = 0, end = 1; at < end; ) {
      const page = await read({ offset: at, count });
      seen.push(...texts(page));
      [at, end] = [page.next, page.size];
    }
    expect(seen).toEqual(ALL);
    const back: string[] = [];
    for (let before = 18; before > 0; ) {
      const page = await read({ before, count });
      back.unshift(...texts(page));
      before = page.start;
    }
    expect(back).toEqual(ALL);
  }
});

test("the last line is found from the end, and every offset is unique", async () => {
  const page = await reader()({ offset: -1, count: 1 });
  expect(texts(page)).toEqual(["c2"]);
  const { items } = await reader()({ offset: 0, count: 100 });
  expect(new Set(items.map(({ offset }) => offset)).size).toBe(items.length);
});
