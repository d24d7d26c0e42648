import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "./client";
import { keys } from "./queries";

export type Assignment = Schemas["Assignment"];
export type Course = Schemas["Course"];
export type CourseTable = Schemas["CourseTable"];
export type CourseLine = Schemas["CourseLine"];

const of = (project: string) => ({ params: { path: { project } } });
const at = (project: string, assignment: string) => ({
  params: { path: { project, assignment } },
});

export const assignmentsQuery = (project: string) =>
  queryOptions({
    queryKey: [...keys.projects, project, "assignments"],
    queryFn: () => dataOf(api.GET("/api/v1/projects/{project}/assignments", of(project))),
  });

export const courseTableQuery = (project: string) =>
  queryOptions({
    queryKey: [...keys.tasks, "course", project], // As fresh as the lists of tasks are.
    queryFn: () => dataOf(api.GET("/api/v1/projects/{project}/table", of(project))),
    refetchInterval: 15_000, // Others' tasks send no event here.
  });

export const askCourses = {
  set: (project: string, body: Course) =>
    dataOf(api.PUT("/api/v1/projects/{project}/course", { ...of(project), body })),
  stop: (project: string) => dataOf(api.DELETE("/api/v1/projects/{project}/course", of(project))),
  roster: (project: string, csv: string) =>
    dataOf(
      api.POST("/api/v1/projects/{project}/roster", { ...of(project), body: { csv, days: 30 } }),
    ),
  keep: (project: string, before: string | null, body: Schemas["AssignmentRequest"]) =>
    before
      ? dataOf(
          api.PUT("/api/v1/projects/{project}/assignments/{assignment}", {
            ...at(project, before),
            body,
          }),
        )
      : dataOf(api.POST("/api/v1/projects/{project}/assignments", { ...of(project), body })),
  remove: (project: string, assignment: string) =>
    dataOf(
      api.DELETE("/api/v1/projects/{project}/assignments/{assignment}", at(project, assignment)),
    ),
  get: (project: string, assignment: string) =>
    dataOf(api.GET("/api/v1/projects/{project}/assignments/{assignment}", at(project, assignment))),
  run: (project: string, assignment: string, body: Schemas["AssignmentRun"], key: string) =>
    dataOf(
      api.POST("/api/v1/projects/{project}/assignments/{assignment}/run", {
        params: { path: { project, assignment }, header: { "Idempotency-Key": key } },
        body,
      }),
    ),
};
