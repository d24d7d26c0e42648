import { expect, test } from "vitest";
import { signInUrl } from "./signInUrl";

test("one comes back to the view that was asked for", () => {
  const here = { pathname: "/tasks", search: "?state=running" };
  expect(signInUrl("/auth/x", here)).toBe("/auth/x?next=%2Ftasks%3Fstate%3Drunning");
});

test("an invitation goes along, and not back", () => {
  const here = { pathname: "/", search: "?invitation=abc" };
  expect(signInUrl("/auth/x", here)).toBe("/auth/x?next=%2F&invitation=abc");
});
