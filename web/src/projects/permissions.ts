import type { Project } from "./api";

/** Which buttons to show. The service decides what is allowed. */
export function isManager({ role }: Pick<Project, "role">): boolean {
  return role === "manager" || role === "owner";
}

export function canAdd({ role, archived }: Pick<Project, "role" | "archived">): boolean {
  return role !== "viewer" && archived == null;
}
