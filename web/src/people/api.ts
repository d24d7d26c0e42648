import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";

export type User = Schemas["User"];

export const usersQuery = (search: string) =>
  queryOptions({
    queryKey: [...keys.users, "list", search],
    queryFn: () => dataOf(api.GET("/api/v1/users", { params: { query: { search, limit: 500 } } })),
  });

export type ServiceSettings = Schemas["ServiceSettings"];

export const serviceSettingsQuery = queryOptions({
  queryKey: [...keys.users, "settings"],
  queryFn: () => dataOf(api.GET("/api/v1/settings")),
});

export type UserPage = Schemas["UserPage"];

export const userQuery = (user: string) =>
  queryOptions({
    queryKey: [...keys.users, "one", user],
    queryFn: () => dataOf(api.GET("/api/v1/users/{user}", { params: { path: { user } } })),
  });

export const userSessionsQuery = (user: string) =>
  queryOptions({
    queryKey: [...keys.users, "sessions", user],
    queryFn: () => dataOf(api.GET("/api/v1/users/{user}/sessions", { params: { path: { user } } })),
  });

export const usersApi = {
  change: (user: string, body: Schemas["UserChange"]) =>
    dataOf(api.PATCH("/api/v1/users/{user}", { params: { path: { user } }, body })),
  signOut: (user: string) =>
    dataOf(api.DELETE("/api/v1/users/{user}/sessions", { params: { path: { user } } })),
  endSession: (user: string, session: string) =>
    dataOf(
      api.DELETE("/api/v1/users/{user}/sessions/{session}", {
        params: { path: { user, session } },
      }),
    ),
  invite: (email: string, days: number) =>
    dataOf(api.POST("/api/v1/invitations", { body: { email, days } })),
};
