// biome-ignore-all lint/a11y/useSemanticElements: the rows of a <table> cannot be laid out by place
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active row
// biome-ignore-all lint/a11y/useKeyWithClickEvents: keys are the grid's
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: the grid is one stop of the tab key
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ColumnKey, columnLabel } from "~/tasks/columns/columns";
import { NEWEST_FIRST } from "./search";
import type { Row } from "./TaskList";
import classes from "./Tasks.module.css";
import type { TaskSelection } from "./useTaskSelection";

/** Column headers; columns the service can sort by are buttons. */
export function GridHeader({
  selection,
  rows,
  columns,
}: {
  selection: TaskSelection;
  rows: readonly Row[];
  columns: ColumnKey[];
}) {
  const { chosen } = selection;
  const all = rows.length > 0 && chosen.size >= rows.length;
  return (
    <div role="rowgroup" className={classes.heads}>
      <div role="row" className={classes.head} aria-rowindex={1}>
        <div role="columnheader" className={classes.check}>
          <input
            type="checkbox"
            aria-label="Select all loaded tasks"
            checked={all}
            ref={(box) => {
              if (box) box.indeterminate = chosen.size > 0 && !all;
            }}
            onChange={() => (all ? selection.clear() : selection.all())}
          />
        </div>
        <Column name="Name" sort="name" />
        <Column name="State" />
        <Column name="Reason" className={classes.why} />
        {columns.map((column) => (
          <Column key={column} name={columnLabel(column)} className={classes.extra} />
        ))}
        <Column name="Endpoint" />
        <Column name="Ran for" className={classes.number} />
        <Column name="Created" sort="created" className={classes.number} down />
      </div>
    </div>
  );
}

type ColumnProps = { name: string; sort?: string; className?: string; down?: boolean };

function Column({ name, sort, className = "", down = false }: ColumnProps) {
  const search = useSearch({ from: "/tasks" });
  const navigate = useNavigate({ from: "/tasks" });
  const now = search.sort ?? NEWEST_FIRST;
  const direction = now === sort ? "ascending" : now === `-${sort}` ? "descending" : undefined;
  const Arrow = direction === "ascending" ? IconArrowUp : IconArrowDown;
  const first = down ? `-${sort}` : sort;
  const next = now === first ? (down ? sort : `-${sort}`) : first;
  return (
    <div role="columnheader" className={`${classes.cell} ${className}`} aria-sort={direction}>
      {sort ? (
        <button
          type="button"
          className={classes.sorter}
          onClick={() => void navigate({ search: { ...search, sort: next }, replace: true })}
        >
          {name} {direction && <Arrow size={13} aria-hidden />}
        </button>
      ) : (
        name
      )}
    </div>
  );
}
