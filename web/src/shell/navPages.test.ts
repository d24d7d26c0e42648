import { expect, test } from "vitest";
import { navPagesFor } from "./navPages";

const labels = (me: Parameters<typeof navPagesFor>[0]) => navPagesFor(me).map((page) => page.label);

test("a personal Diamond shows nothing about other people", () => {
  expect(labels({ mode: "embedded", is_admin: true })).not.toContain("Projects");
  expect(labels({ mode: "embedded", is_admin: true })).not.toContain("Users");
});

test("a shared Diamond shows projects to everyone and users to administrators", () => {
  expect(labels({ mode: "shared", is_admin: false })).toContain("Projects");
  expect(labels({ mode: "shared", is_admin: false })).not.toContain("Audit log");
  expect(labels({ mode: "shared", is_admin: true })).toContain("Audit log");
});

test("pages of a group stand together", () => {
  const groups = navPagesFor({ mode: "shared", is_admin: true }).map((page) => page.group);
  const changes = groups.filter((group, at) => group !== groups[at - 1]);
  expect(changes).toEqual(["work", "library", "manage", "administration"]);
});
