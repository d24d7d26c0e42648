import type { Project } from "./api";

/** Which buttons are worth showing; whether a deed is allowed is for the service to say. */
export function isManager({ role }: Pick<Project, "role">): boolean {
  return role === "manager" || role === "owner";
}

export function canAdd({ role, archived }: Pick<Project, "role" | "archived">): boolean {
  return role !== "viewer" && archived == null;
}
