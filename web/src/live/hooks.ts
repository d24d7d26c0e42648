import { useEffect, useRef, useSyncExternalStore } from "react";
import { connection } from "./connection";
import type { ConnectionState, LogPiece, MetricPoint } from "./messages";
import { debounce, FIRST_PAINT_DELAY } from "./throttle";

export function useConnectionState(): ConnectionState {
  return useSyncExternalStore(
    (changed) => connection.onConnection(changed),
    () => connection.state,
  );
}

type Output = {
  onLog?: (piece: LogPiece) => void;
  onMetric?: (points: MetricPoint[]) => void;
};

/**
 * Follow a task's log and metrics while the component is mounted.
 *
 * Also for a task that has ended: its last output may arrive later.
 */
export function useTaskOutput(task: string | undefined, output: Output): void {
  const latest = useRef(output);
  latest.current = output;
  useEffect(() => {
    if (!task) return;
    const unwatch = connection.watch(task);
    const stop = connection.onEvent((event) => {
      if (event.type === "log" && event.data.task === task) latest.current.onLog?.(event.data);
      if (event.type === "metric" && event.data.task === task && !event.data.usage)
        latest.current.onMetric?.(event.data.points);
    });
    return () => {
      stop();
      unwatch();
    };
  }, [task]);
}

/** Runs the action each time the service is reachable again. */
export function useReconnected(action: () => void): void {
  useStreamOpened((reconnected) => reconnected && action());
}

/** Runs the action each time the stream opens: earlier events were missed and may matter to the page. */
export function useStreamOpened(action: (reconnected: boolean) => void): void {
  const latest = useRef(action);
  latest.current = action;
  useEffect(() => {
    const runLater = debounce(FIRST_PAINT_DELAY, () => latest.current(false));
    return connection.onConnection((state, reconnected) => {
      if (state !== "online") return;
      if (reconnected) latest.current(true);
      else runLater();
    });
  }, []);
}
