import { beforeEach, expect, test, vi } from "vitest";
import { parseDraft, readDraft, removeDraft, writeDraft } from "./drafts";
import { emptyWork } from "./work";

beforeEach(() => {
  const kept: Record<string, string> = {};
  const hidden = { enumerable: false };
  Object.defineProperties(kept, {
    getItem: { ...hidden, value: (key: string) => kept[key] ?? null },
    setItem: {
      ...hidden,
      value: (key: string, text: string) => {
        kept[key] = text;
      },
    },
    removeItem: {
      ...hidden,
      value: (key: string) => {
        delete kept[key];
      },
    },
  });
  vi.stubGlobal("localStorage", kept);
});

test("a draft is found again by its source, and only by it", () => {
  const work = emptyWork({ run: "true" });
  writeDraft("command", { tab: "a", at: 1, work });
  expect(readDraft("command")?.work).toEqual(work);
  expect(readDraft("notebook")).toBeNull();
  removeDraft("command");
  expect(readDraft("command")).toBeNull();
});

test("what is not a draft counts as none", () => {
  expect(parseDraft("{")).toBeNull();
  expect(parseDraft('{"work": 3}')).toBeNull();
});

test("the oldest drafts make room", () => {
  for (let n = 0; n < 30; n += 1) {
    writeDraft(`task.${n}`, { tab: "a", at: n, work: emptyWork() });
  }
  expect(readDraft("task.0")).toBeNull();
  expect(readDraft("task.29")).not.toBeNull();
  expect(Object.keys(localStorage)).toHaveLength(20);
});
