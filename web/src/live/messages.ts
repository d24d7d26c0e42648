import type { Endpoint, Schemas, Task } from "~/api/client";

export type LogPiece = {
  task: string;
  attempt: string;
  run: number;
  rank: number;
  stream: string;
  offset: number;
  length?: number;
  text?: string;
  skipped?: [number, number];
};
export type MetricPoint = { name: string; step: number; time: number; value: number | null };
export type LiveEvent =
  | { type: "task"; data: Task }
  | { type: "endpoint"; data: Endpoint }
  | { type: "note"; data: { task: string; message: string; code: string } }
  | { type: "image"; data: Schemas["ImageEvent"] }
  | { type: "scale"; data: Schemas["ScaleEvent"] }
  | { type: "notification"; data: Schemas["NotificationEvent"] }
  | { type: "changed"; data: Schemas["ChangedEvent"] }
  | { type: "log"; data: LogPiece }
  | { type: "metric"; data: { task: string; points: MetricPoint[]; usage: boolean } };

/** `offline`: the service does not respond; `signed-out`: it responds, but the session has ended. */
export type ConnectionState = "connecting" | "online" | "offline" | "signed-out";

/** Messages from a tab to the shared stream, and back. */
export type FromTab =
  | { kind: "watch"; tasks: string[] }
  | { kind: "visibility"; visible: boolean }
  | { kind: "pong" }
  | { kind: "bye" };
export type ToTab =
  /** `visible`: some tab of this browser is visible. */
  | { kind: "event"; event: LiveEvent; visible: boolean }
  | { kind: "connection"; state: ConnectionState; reconnected: boolean }
  | { kind: "ping" };
