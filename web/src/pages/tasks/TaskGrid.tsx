// biome-ignore-all lint/a11y/useSemanticElements: the rows of a <table> cannot be laid out by place
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active row
// biome-ignore-all lint/a11y/useKeyWithClickEvents: keys are the grid's
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: the grid is one stop of the tab key
import { Button, Loader } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ColumnKey } from "~/tasks/columns/columns";
import { useSummaries } from "~/tasks/columns/useSummaries";
import { GridHeader } from "./GridHeader";
import type { ListState, TaskList } from "./TaskList";
import { rowId, TaskRow } from "./TaskRow";
import classes from "./Tasks.module.css";
import { useGridKeys } from "./useGridKeys";
import type { TaskSelection } from "./useTaskSelection";

type TaskGridProps = {
  list: TaskList;
  state: ListState;
  total: number | undefined;
  selection: TaskSelection;
  /** Chosen beside the usual ones. */
  columns: ColumnKey[];
  scrolled: number;
  onScrolled: (top: number) => void;
  onOpen: (task: string) => void;
};

const ROW = 42;
const CARD = 88;
// Rows rendered beyond the visible ones: fast scrolling finds them ready, and loading starts early.
const OVERSCAN = 36;
const HALF_MINUTE = 30_000;

/** All tasks of the view in a grid that renders only the visible part. */
export function TaskGrid(props: TaskGridProps) {
  const { list, state, total, selection, columns, onScrolled, onOpen } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const narrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false });
  const height = narrow ? CARD : ROW;
  const rows = useVirtualizer({
    count: state.rows.length + (state.complete ? 0 : 1),
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: OVERSCAN,
    initialOffset: props.scrolled,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height makes all places wrong
  useEffect(() => rows.measure(), [rows, height]);
  useEffect(() => {
    if (last >= state.rows.length - OVERSCAN) void list.more();
  }, [last, state.rows.length, list]);

  const { active, setActive, onKeyDown } = useGridKeys({ state, selection, onOpen, rows, height });
  const onClick = useRowClick({ selection, onOpen, setActive, state });
  const tick = useTick();
  const ids = useMemo(() => state.rows.map(({ id }) => id), [state.rows]);
  const summaries = useSummaries(
    ids,
    { first: shown[0]?.index ?? 0, last: Math.min(last, ids.length - 1) },
    columns.some((column) => column !== "tags"),
  );
  const activeRow = shown.some((item) => item.index === active) ? state.rows[active] : undefined;
  return (
    <div
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label="Tasks"
      aria-multiselectable
      aria-rowcount={total === undefined ? -1 : total + 1}
      aria-activedescendant={activeRow && rowId(activeRow.id)}
      className={`${classes.grid} ${state.isStale ? classes.settling : ""}`}
      style={{ "--extra": columns.length } as React.CSSProperties}
      data-extra={columns.length > 0 || undefined}
      onKeyDown={onKeyDown}
      onScroll={(event) => onScrolled(event.currentTarget.scrollTop)}
    >
      <GridHeader selection={selection} rows={state.rows} columns={columns} />
      <div role="rowgroup" style={{ height: rows.getTotalSize(), position: "relative" }}>
        {shown.map(({ index, start }) => {
          const row = state.rows[index];
          return row ? (
            <TaskRow
              key={row.id}
              row={row}
              index={index}
              top={start}
              chosen={selection.chosen.has(row.id)}
              active={index === active}
              tick={tick}
              columns={columns}
              summary={summaries.get(row.id)}
              onClick={onClick}
            />
          ) : (
            <LoadingRow key="tail" top={start} state={state} onRetry={() => void list.readNext()} />
          );
        })}
      </div>
    </div>
  );
}

function LoadingRow({
  top,
  state,
  onRetry,
}: {
  top: number;
  state: ListState;
  onRetry: () => void;
}) {
  return (
    <div role="row" className={classes.tail} style={{ transform: `translateY(${top}px)` }}>
      <div role="gridcell">
        {state.error ? (
          <>
            {state.error.message}{" "}
            <Button size="compact-xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          </>
        ) : (
          <Loader size="xs" aria-label="Loading more" />
        )}
      </div>
    </div>
  );
}

type RowClick = Pick<TaskGridProps, "selection" | "onOpen" | "state"> & {
  setActive: (index: number) => void;
};

/** A click opens a task; on its checkbox, or with Shift or Ctrl, it selects. The callback is stable for all rows. */
function useRowClick(clicks: RowClick) {
  const latest = useRef(clicks);
  latest.current = clicks;
  return useCallback((index: number, event: React.MouseEvent) => {
    const { selection, onOpen, state, setActive } = latest.current;
    const task = state.rows[index]?.id;
    if (!task) return;
    const onLink = event.target instanceof HTMLAnchorElement;
    const onBox =
      event.target instanceof Element && event.target.closest("[role=gridcell]:first-child");
    if (onLink && (event.ctrlKey || event.metaKey)) return;
    setActive(index);
    if (event.shiftKey) selection.extendTo(index);
    else if (onBox || event.ctrlKey || event.metaKey) selection.toggle(index);
    else if (!onLink && !String(getSelection() ?? "")) onOpen(task);
    if (event.shiftKey && onLink) event.preventDefault();
  }, []);
}

function useTick(): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((n) => n + 1), HALF_MINUTE);
    return () => clearInterval(timer);
  }, []);
  return tick;
}
