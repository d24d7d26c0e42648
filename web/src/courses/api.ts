import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";

export type Assignment = Schemas["Assignment"];
export type Course = Schemas["Course"];
export type CourseTable = Schemas["CourseTable"];
export type CourseLine = Schemas["CourseLine"];

const projectPath = (project: string) => ({ params: { path: { project } } });
const assignmentPath = (project: string, assignment: string) => ({
  params: { path: { project, assignment } },
});

export const assignmentsQuery = (project: string) =>
  queryOptions({
    queryKey: [...keys.projects, project, "assignments"],
    queryFn: () => dataOf(api.GET("/api/v1/projects/{project}/assignments", projectPath(project))),
  });

export const courseTableQuery = (project: string) =>
  queryOptions({
    queryKey: [...keys.tasks, "course", project], // Refetched together with task lists.
    queryFn: () => dataOf(api.GET("/api/v1/projects/{project}/table", projectPath(project))),
    refetchInterval: 15_000, // Other people's tasks send no events to this browser.
  });

export const coursesApi = {
  saveCourse: (project: string, body: Course) =>
    dataOf(api.PUT("/api/v1/projects/{project}/course", { ...projectPath(project), body })),
  endCourse: (project: string) =>
    dataOf(api.DELETE("/api/v1/projects/{project}/course", projectPath(project))),
  addRoster: (project: string, csv: string) =>
    dataOf(
      api.POST("/api/v1/projects/{project}/roster", {
        ...projectPath(project),
        body: { csv, days: 30 },
      }),
    ),
  saveAssignment: (project: string, before: string | null, body: Schemas["AssignmentRequest"]) =>
    before
      ? dataOf(
          api.PUT("/api/v1/projects/{project}/assignments/{assignment}", {
            ...assignmentPath(project, before),
            body,
          }),
        )
      : dataOf(
          api.POST("/api/v1/projects/{project}/assignments", { ...projectPath(project), body }),
        ),
  removeAssignment: (project: string, assignment: string) =>
    dataOf(
      api.DELETE(
        "/api/v1/projects/{project}/assignments/{assignment}",
        assignmentPath(project, assignment),
      ),
    ),
  getAssignment: (project: string, assignment: string) =>
    dataOf(
      api.GET(
        "/api/v1/projects/{project}/assignments/{assignment}",
        assignmentPath(project, assignment),
      ),
    ),
  runAssignment: (
    project: string,
    assignment: string,
    body: Schemas["AssignmentRun"],
    key: string,
  ) =>
    dataOf(
      api.POST("/api/v1/projects/{project}/assignments/{assignment}/run", {
        params: { path: { project, assignment }, header: { "Idempotency-Key": key } },
        body,
      }),
    ),
};
