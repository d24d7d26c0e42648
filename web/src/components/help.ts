import type { RegisteredRouter } from "@tanstack/react-router";

type PagePath = keyof RegisteredRouter["routesByPath"];

/** Where the documentation explains each page; a test checks that every target exists. */
const HELP: Record<PagePath, string> = {
  "/": "/docs/dashboard/",
  "/compose": "/docs/composer/",
  "/tasks": "/docs/tasks/",
  "/tasks/$task": "/docs/tasks/",
  "/runs": "/docs/compare/",
  "/compare": "/docs/compare/",
  "/lineage": "/docs/compare/",
  "/images": "/docs/images/",
  "/images/compare": "/docs/images/",
  "/images/$image": "/docs/images/",
  "/pipelines": "/docs/pipelines/",
  "/pipelines/new": "/docs/pipelines/",
  "/pipelines/$pipeline": "/docs/pipelines/",
  "/pilots": "/docs/pilots/",
  "/pilots/$pilot": "/docs/pilots/",
  "/datasets": "/docs/data/",
  "/datasets/$dataset": "/docs/data/",
  "/studies": "/docs/studies/",
  "/studies/$study": "/docs/studies/",
  "/models": "/docs/models/",
  "/models/$model": "/docs/models/",
  "/build": "/docs/images/",
  "/build/$task": "/docs/images/",
  "/endpoints": "/docs/endpoints/",
  "/endpoints/$name": "/docs/endpoints/",
  "/projects": "/docs/projects/",
  "/projects/$project": "/docs/projects/",
  "/settings": "/docs/settings/",
  "/crates": "/docs/records/",
  "/crates/$crate": "/docs/records/",
  "/review/$secret": "/docs/records/",
  "/device": "/docs/people/",
  "/users": "/docs/people/",
  "/announcements": "/docs/people/",
  "/audit": "/docs/people/",
};

export function helpFor(path: string): string {
  return path in HELP ? HELP[path as PagePath] : "/docs/";
}
