import { useEffect, useRef, useSyncExternalStore } from "react";
import { link } from "./link";
import type { LinkState, LogPiece, MetricPoint } from "./messages";
import { DRAWN_AFTER, whenCalm } from "./often";

export function useLinkState(): LinkState {
  return useSyncExternalStore(
    (changed) => link.onLink(changed),
    () => link.state,
  );
}

type Output = {
  onLog?: (piece: LogPiece) => void;
  onMetric?: (points: MetricPoint[]) => void;
};

/**
 * Follow a task's log and metrics while the component is shown.
 *
 * Also those of a task that has ended: the last of what it wrote may come home after its end.
 */
export function useTaskOutput(task: string | undefined, output: Output): void {
  const latest = useRef(output);
  latest.current = output;
  useEffect(() => {
    if (!task) return;
    const unwatch = link.watch(task);
    const stop = link.onEvent((event) => {
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

/** Run something each time the service can be reached again. */
export function useReconnected(then: () => void): void {
  useHearing((reconnected) => reconnected && then());
}

/** Run something each time the stream begins anew: what came before is not heard, and may be news to the page. */
export function useHearing(then: (reconnected: boolean) => void): void {
  const latest = useRef(then);
  latest.current = then;
  useEffect(() => {
    const later = whenCalm(DRAWN_AFTER, () => latest.current(false));
    return link.onLink((state, reconnected) => {
      if (state !== "online") return;
      if (reconnected) latest.current(true);
      else later();
    });
  }, []);
}
