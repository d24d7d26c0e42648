import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { Task } from "~/api/client";
import { useHearing, useTaskOutput } from "~/live/hooks";
import { useEvery } from "../useEvery";
import { endOf, isOf, readLines, type Which } from "./which";
import { indexAt, LogWindow } from "./window";

const READ_EVERY = 250;

/** A log as it is read here: where one looks, whether one follows its end, and what comes in live. */
export function useLogWindow(task: Task, which: Which, at: number | undefined) {
  const { attempt, run, rank, stream } = which;
  const window = useMemo(
    () => new LogWindow((place) => readLines(task.id, { attempt, run, rank, stream }, place)),
    [task.id, attempt, run, rank, stream],
  );
  const state = useSyncExternalStore(window.subscribe, window.snapshot);
  const [follow, setFollow] = useState(at === undefined);
  const [mark, setMark] = useState(at);
  const following = useRef(follow);
  following.current = follow;

  const first = useRef(at);
  useEffect(() => {
    void (first.current === undefined ? window.openEnd() : window.openAt(first.current));
  }, [window]);

  const readOn = useEvery(READ_EVERY, () => {
    if (following.current) void window.catchUp();
  });
  useTaskOutput(task.id, {
    onLog: (piece) => {
      if (!isOf(piece, which)) return;
      window.grown(endOf(piece));
      readOn();
    },
  });
  useHearing((reconnected) => {
    if (reconnected && following.current) void window.openEnd();
    else void window.look().then(readOn);
  });

  const goTo = useCallback(
    (offset: number) => {
      setFollow(false);
      setMark(offset);
      if (indexAt(window.snapshot().lines, offset) < 0) void window.openAt(offset);
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
