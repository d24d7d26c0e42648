import { expect, test } from "vitest";
import { navPagesFor } from "./navPages";

const labels = (me: Parameters<typeof navPagesFor>[0]) => navPagesFor(me).map((page) => page.label);

test("who is alone with her Diamond sees nothing about others", () => {
  expect(labels({ mode: "embedded", is_admin: true })).not.toContain("Projects");
  expect(labels({ mode: "embedded", is_admin: true })).not.toContain("Users");
});

test("on a shared one everybody has projects, and administrators the people", () => {
  expect(labels({ mode: "shared", is_admin: false })).toContain("Projects");
  expect(labels({ mode: "shared", is_admin: false })).not.toContain("Audit log");
  expect(labels({ mode: "shared", is_admin: true })).toContain("Audit log");
});
