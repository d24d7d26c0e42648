import { expect, test } from "vitest";
import { composerSearch } from "./search";
import { sourceKey, sourceOf } from "./start/source";

test("an address names its source; each has its own draft", () => {
  const key = (given: Record<string, unknown>) => {
    const source = sourceOf(composerSearch(given));
    return source && sourceKey(source);
  };
  expect(key({})).toBe("command");
  expect(key({ start: "notebook" })).toBe("notebook");
  expect(key({ recipe: "digits" })).toBe("recipe.digits");
  expect(key({ from: "abc" })).toBe("task.abc");
  expect(key({ start: "recipe" })).toBeNull();
});

test("what an address may not carry is dropped", () => {
  expect(composerSearch({ start: "magic", tab: "cost", other: 1 })).toEqual({ tab: "cost" });
});
