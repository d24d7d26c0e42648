import { useCallback, useMemo, useRef, useState } from "react";
import { toggled } from "~/lib/sets";
import { type Selection, withRange } from "./selection";
import type { Row } from "./TaskList";

export type TaskSelection = {
  chosen: Selection;
  toggle: (index: number) => void;
  /** Selects everything from the last selected row to this one. */
  extendTo: (index: number) => void;
  all: () => void;
  /** All that match the filters, not only the loaded rows. */
  everything: boolean;
  selectEverything: () => void;
  clear: () => void;
};

/** The selected tasks of the list, for bulk actions. */
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
