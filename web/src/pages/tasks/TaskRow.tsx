// biome-ignore-all lint/a11y/useSemanticElements: the rows of a <table> cannot be laid out by place
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active row
// biome-ignore-all lint/a11y/useKeyWithClickEvents: keys are the grid's
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: the grid is one stop of the tab key
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { duration, exactTime, timeAgo } from "~/lib/format";
import { type ColumnKey, columnText } from "~/tasks/columns/columns";
import { StateChip } from "~/tasks/StateBadge";
import type { Summary } from "~/tasks/summaries";
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
  columns: ColumnKey[];
  summary: Summary | undefined;
  onClick: (index: number, event: React.MouseEvent) => void;
};

/** One task as a row; on a phone, as a card. */
export const TaskRow = memo(function Row({
  row,
  index,
  top,
  chosen,
  active,
  columns,
  summary,
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
        {row.owner_name && <span className={classes.owner}>by {row.owner_name}</span>}
        {row.tags.map((tag) => (
          <span key={tag} className={classes.tag}>
            {tag}
          </span>
        ))}
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
      {columns.map((column) => (
        <ExtraCell key={column} column={column} row={row} summary={summary} />
      ))}
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

type ExtraCellProps = { column: ColumnKey; row: RowData; summary: Summary | undefined };

function ExtraCell({ column, row, summary }: ExtraCellProps) {
  const text = extraText(column, row, summary);
  return (
    <div role="gridcell" className={`${classes.cell} ${classes.extra}`} title={text}>
      {text}
    </div>
  );
}

function extraText(column: ColumnKey, row: RowData, summary: Summary | undefined): string {
  if (column === "tags") return row.tags.join(", ");
  return columnText(column, summary);
}

export function rowId(task: string): string {
  return `task-${task}`;
}
