import { useCallback, useMemo, useRef, useState } from "react";
import { toggled } from "~/lib/sets";
import { type Selection, withRange } from "./selection";
import type { Row } from "./TaskList";

export type TaskSelection = {
  chosen: Selection;
  toggle: (index: number) => void;
  /** Everything from the row last chosen to this one. */
  extendTo: (index: number) => void;
  all: () => void;
  /** Not only the rows read so far: all that the filters find. */
  everything: boolean;
  selectEverything: () => void;
  clear: () => void;
};

/** Which tasks of the list are chosen, for what is done to several at once. */
export function useTaskSelection(rows: readonly Row[]): TaskSelection {
  const [chosen, setChosen] = useState<Selection>(new Set());
  const [everything, setEverything] = useState(false);
  const anchor = useRef(0);
  const latest = useRef(rows);
  latest.current = rows;
  const toggle = useCallback((index: number) => {
    anchor.current = index;
    setEverything(false);
    const id = latest.current[index]?.id;
    if (id) setChosen((now) => toggled(now, id));
  }, []);
  const extendTo = useCallback((index: number) => {
    setChosen((now) => withRange(now, latest.current, anchor.current, index));
  }, []);
  const all = useCallback(() => setChosen(new Set(latest.current.map((row) => row.id))), []);
  const selectEverything = useCallback(() => {
    all();
    setEverything(true);
  }, [all]);
  const clear = useCallback(() => {
    setChosen(new Set());
    setEverything(false);
  }, []);
  return useMemo(
    () => ({ chosen, toggle, extendTo, all, everything, selectEverything, clear }),
    [chosen, toggle, extendTo, all, everything, selectEverything, clear],
  );
}
