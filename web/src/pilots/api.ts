import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";

export type Pilot = Schemas["Pilot"];
export type Timeline = Schemas["Timeline"];
export type TimelineItem = Schemas["TimelineItem"];

const pathOf = (pilot: string) => ({ path: { pilot } });

export function listPilots(cursor?: string) {
  return dataOf(api.GET("/api/v1/pilots", { params: { query: { limit: 50, cursor } } }));
}

export const pilotQuery = (pilot: string) =>
  queryOptions({
    queryKey: [...keys.pilots, "one", pilot],
    queryFn: () => dataOf(api.GET("/api/v1/pilots/{pilot}", { params: pathOf(pilot) })),
  });

/** From the journal on its endpoint: asked again now and then while it lives. */
export const timelineQuery = (pilot: string, isLive: boolean) =>
  queryOptions({
    queryKey: [...keys.pilots, "timeline", pilot],
    queryFn: () => dataOf(api.GET("/api/v1/pilots/{pilot}/timeline", { params: pathOf(pilot) })),
    refetchInterval: isLive ? 5000 : false,
  });

export function stopPilot(pilot: string, now: boolean) {
  return dataOf(api.POST("/api/v1/pilots/{pilot}/stop", { params: pathOf(pilot), body: { now } }));
}
