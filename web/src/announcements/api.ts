import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";

export type Announcement = Schemas["Announcement"];
export type AnnouncementRequest = Schemas["AnnouncementRequest"];

/** The active ones. */
export const announcementsQuery = queryOptions({
  queryKey: keys.announcements,
  queryFn: () => dataOf(api.GET("/api/v1/announcements")),
  refetchInterval: 300_000, // Announcements start and end by time, without an event.
});

/** Including scheduled and expired ones. */
export const allAnnouncementsQuery = queryOptions({
  queryKey: [...keys.announcements, "all"],
  queryFn: () => dataOf(api.GET("/api/v1/announcements/all")),
});

const pathOf = (announcement: string) => ({ params: { path: { announcement } } });

export const announcementsApi = {
  save: (id: string | null, body: AnnouncementRequest) =>
    id
      ? dataOf(api.PUT("/api/v1/announcements/{announcement}", { ...pathOf(id), body }))
      : dataOf(api.POST("/api/v1/announcements", { body })),
  remove: (id: string) => dataOf(api.DELETE("/api/v1/announcements/{announcement}", pathOf(id))),
};
