import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";

/** The names under which answers are kept; `live/freshness.ts` renews them. */
export const keys = {
  me: ["me"],
  tasks: ["tasks"],
  task: (id: string) => ["task", id],
  history: (id: string) => ["task-history", id],
  /** What a task printed, and what it measured. */
  logs: (task: string) => ["logs", task],
  metrics: (task: string) => ["metrics", task],
  files: ["files"],
  scale: (id: string) => ["scale", id],
  endpoints: ["endpoints"],
  images: ["images"],
  builds: ["build"],
  build: (task: string) => ["build", task],
  overview: ["overview"],
  notifications: ["notifications"],
  preferences: ["me", "preferences"],
  notificationSettings: ["me", "notification-settings"],
  tokens: ["tokens"],
  sessions: ["sessions"],
  identities: ["identities"],
  projects: ["projects"],
  invitations: ["invitations"],
  shared: ["shared"],
  users: ["users"],
  audit: ["audit"],
  announcements: ["announcements"],
  usage: ["usage"],
};

export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: () => dataOf(api.GET("/api/v1/me")),
  retry: false,
});

export const endpointsQuery = queryOptions({
  queryKey: keys.endpoints,
  queryFn: () => dataOf(api.GET("/api/v1/endpoints")),
});

export const endpointQuery = (name: string) =>
  queryOptions({
    queryKey: [...keys.endpoints, name],
    queryFn: () => dataOf(api.GET("/api/v1/endpoints/{name}", { params: { path: { name } } })),
  });

export const taskQuery = (id: string) =>
  queryOptions({
    queryKey: keys.task(id),
    queryFn: () => dataOf(api.GET("/api/v1/tasks/{task}", { params: { path: { task: id } } })),
  });
