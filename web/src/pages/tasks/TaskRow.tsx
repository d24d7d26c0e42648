// biome-ignore-all lint/a11y/useSemanticElements: the rows of a <table> cannot be laid out by place
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active row
// biome-ignore-all lint/a11y/useKeyWithClickEvents: keys are the grid's
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: the grid is one stop of the tab key
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { duration, exactTime, timeAgo } from "~/lib/format";
import { StateChip } from "~/tasks/StateBadge";
import type { Row as RowData } from "./TaskList";
import classes from "./Tasks.module.css";

type TaskRowProps = {
  row: RowData;
  index: number;
  top: number;
  chosen: boolean;
  active: boolean;
  /** Changes every half minute, so that "5 min ago" stays true. */
  tick: number;
  onClick: (index: number, event: React.MouseEvent) => void;
};

/** One task as a row; on a phone, as a card. */
export const TaskRow = memo(function Row({
  row,
  index,
  top,
  chosen,
  active,
  onClick,
}: TaskRowProps) {
  return (
    <div
      role="row"
      id={rowId(row.id)}
      className={classes.row}
      style={{ transform: `translateY(${top}px)` }}
      aria-rowindex={index + 2}
      aria-selected={chosen}
      data-active={active || undefined}
      onClick={(event) => onClick(index, event)}
    >
      <div role="gridcell" className={classes.check}>
        <input
          type="checkbox"
          checked={chosen}
          readOnly
          tabIndex={-1}
          aria-label={`Select ${row.name}`}
          data-check
        />
      </div>
      <div role="gridcell" className={classes.cell}>
        <Link
          to="/tasks/$task"
          params={{ task: row.id }}
          className={classes.name}
          tabIndex={-1}
          preload={false}
        >
          {row.name}
        </Link>
        <span className={classes.id}>{row.id.slice(0, 8)}</span>
      </div>
      <div role="gridcell" className={classes.cell}>
        <StateChip task={row} />
      </div>
      <div
        role="gridcell"
        className={`${classes.cell} ${classes.dim} ${classes.why}`}
        title={row.message}
      >
        {row.message}
      </div>
      <div role="gridcell" className={`${classes.cell} ${classes.dim} ${classes.endpoint}`}>
        {row.endpoint}
      </div>
      <div role="gridcell" className={`${classes.cell} ${classes.number} ${classes.took}`}>
        {row.started !== null && duration((row.ended ?? Date.now() / 1000) - row.started)}
      </div>
      <div
        role="gridcell"
        className={`${classes.cell} ${classes.number} ${classes.dim} ${classes.when}`}
      >
        <time title={exactTime(row.created)}>{timeAgo(row.created)}</time>
      </div>
    </div>
  );
});

export function rowId(task: string): string {
  return `task-${task}`;
}
