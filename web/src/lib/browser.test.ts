import { expect, test } from "vitest";
import { browserName } from "./browser";

test("the telling name is found among those that every browser claims", () => {
  const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36";
  expect(browserName(chrome)).toBe("Chrome on Linux");
  expect(browserName(`${chrome} Edg/140.0`)).toBe("Edge on Linux");
  expect(browserName("Mozilla/5.0 (Macintosh; Intel Mac OS X 14) Version/18 Safari/605")).toBe(
    "Safari on macOS",
  );
  expect(browserName("")).toBe("A browser");
});
