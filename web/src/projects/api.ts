import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, ProblemError, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";

export type Project = Schemas["Project"];
export type ProjectPage = Schemas["ProjectPage"];
export type Member = Schemas["Member"];
export type ProjectRole = Member["role"];

/** What each role can do. */
export const ROLES: { value: ProjectRole; label: string; about: string }[] = [
  { value: "viewer", label: "Viewer", about: "Can see jobs, logs and results" },
  { value: "member", label: "Member", about: "Can also submit jobs to the project" },
  { value: "manager", label: "Manager", about: "Can also manage people and cancel tasks" },
];

/** Other people's changes in a project send no events to this browser. */
const REFETCH_INTERVAL = 20_000;

export const projectsQuery = queryOptions({
  queryKey: keys.projects,
  queryFn: () => dataOf(api.GET("/api/v1/projects")),
  refetchInterval: REFETCH_INTERVAL,
});

export const projectQuery = (project: string) =>
  queryOptions({
    queryKey: [...keys.projects, project],
    queryFn: () => dataOf(api.GET("/api/v1/projects/{project}", { params: { path: { project } } })),
    refetchInterval: REFETCH_INTERVAL,
  });

/** Invitations the person has sent; one for a project names its id. */
export const invitationsQuery = queryOptions({
  queryKey: keys.invitations,
  queryFn: () => dataOf(api.GET("/api/v1/invitations")),
  refetchInterval: REFETCH_INTERVAL,
});

export const sharedWithMeQuery = queryOptions({
  queryKey: keys.shared,
  queryFn: () => dataOf(api.GET("/api/v1/shares")),
  refetchInterval: REFETCH_INTERVAL,
});

const pathOf = (project: string) => ({ params: { path: { project } } });

export const projectsApi = {
  add: (name: string, title: string) =>
    dataOf(api.POST("/api/v1/projects", { body: { name, title } })),
  change: (project: string, body: Schemas["ProjectChange"]) =>
    dataOf(api.PATCH("/api/v1/projects/{project}", { ...pathOf(project), body })),
  remove: (project: string) => dataOf(api.DELETE("/api/v1/projects/{project}", pathOf(project))),
  setMember: (project: string, user: string, role: ProjectRole) =>
    dataOf(
      api.PUT("/api/v1/projects/{project}/members/{user}", {
        params: { path: { project, user } },
        body: { role },
      }),
    ),
  removeMember: (project: string, user: string) =>
    dataOf(
      api.DELETE("/api/v1/projects/{project}/members/{user}", {
        params: { path: { project, user } },
      }),
    ),
  transferOwnership: (project: string, user: string) =>
    dataOf(api.POST("/api/v1/projects/{project}/owner", { ...pathOf(project), body: { user } })),
  invite: (project: string, body: Schemas["ProjectInvitationRequest"]) =>
    dataOf(api.POST("/api/v1/projects/{project}/invitations", { ...pathOf(project), body })),
  revokeInvitation: (invitation: string) =>
    dataOf(api.DELETE("/api/v1/invitations/{invitation}", { params: { path: { invitation } } })),
  acceptInvitation: (code: string) =>
    dataOf(api.POST("/api/v1/invitations/accept", { body: { code } })),
};

/** Adds a person who has an account; otherwise creates an invitation, for this address if given. */
export async function addOrInvite(
  project: string,
  { email, role, days }: { email: string; role: ProjectRole; days: number },
): Promise<Schemas["NewInvitation"] | null> {
  if (email) {
    try {
      await projectsApi.setMember(project, email, role);
      return null;
    } catch (error) {
      if (!(error instanceof ProblemError && error.status === 404)) throw error;
    }
  }
  return projectsApi.invite(project, { email, role, days });
}
