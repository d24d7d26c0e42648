import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { Task } from "~/api/client";
import { useStreamOpened, useTaskOutput } from "~/live/hooks";
import { useThrottle } from "~/live/useThrottle";
import { LogWindow, lineIndexAt } from "./LogWindow";
import type { LogSource } from "./logSource";

const READ_INTERVAL = 250;

/** A log view: its position, whether it follows the end, and live updates. */
export function useLogWindow(task: Task, source: LogSource, at: number | undefined) {
  const window = useMemo(() => new LogWindow(source.read), [source]);
  const state = useSyncExternalStore(window.subscribe, window.snapshot);
  const [follow, setFollow] = useState(at === undefined);
  const [mark, setMark] = useState(at);
  const following = useRef(follow);
  following.current = follow;

  const first = useRef(at);
  useEffect(() => {
    void (first.current === undefined ? window.openEnd() : window.openAt(first.current));
  }, [window]);

  const readMore = useThrottle(READ_INTERVAL, () => {
    if (following.current) void window.catchUp();
  });
  useTaskOutput(task.id, {
    onLog: (piece) => {
      const end = source.endAfter(piece);
      if (end === null) return;
      window.grow(end);
      readMore();
    },
  });
  useStreamOpened((reconnected) => {
    if (reconnected && following.current) void window.openEnd();
    else void window.checkSize().then(readMore);
  });

  const goTo = useCallback(
    (offset: number) => {
      setFollow(false);
      setMark(offset);
      if (lineIndexAt(window.snapshot().lines, offset) < 0) void window.openAt(offset);
    },
    [window],
  );
  const goToEnd = useCallback(() => {
    setFollow(true);
    setMark(undefined);
    void window.openEnd();
  }, [window]);
  return { window, state, follow, setFollow, mark, goTo, goToEnd };
}
