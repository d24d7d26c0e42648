// biome-ignore-all lint/a11y/useFocusableInteractive: what can be used in a row has its own focus
// biome-ignore-all lint/a11y/useSemanticElements: the rows of a <table> cannot be laid out by place
import { Anchor, Button, Card, Group, SegmentedControl, Text } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import { keys } from "~/api/queryKeys";
import { showError } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { count, formatNumber } from "~/lib/format";
import { studiesApi, type TrialColumns } from "~/studies/api";
import { paramText } from "~/studies/data";
import type { TabProps } from "./StudyPage";
import classes from "./TrialsTab.module.css";

const STATES = ["all", "running", "complete", "pruned", "failed"];
const ROW_HEIGHT = 34;
type Sort = { column: string; down: boolean };

/** All trials; only the rows in view are in the page. */
export function TrialsTab({ study, trials }: TabProps) {
  const { state = "all" } = useSearch({ from: "/studies/$study" });
  const navigate = useNavigate({ from: "/studies/$study" });
  const [sort, setSort] = useState<Sort>({ column: "number", down: true });
  const names = Object.keys(trials.params);
  const rows = useMemo(() => sorted(trials, state, sort), [trials, state, sort]);
  const frame = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });
  const columns = ["number", "state", ...study.objectives.map(({ name }) => name), ...names];
  const style = {
    gridTemplateColumns: `70px 90px repeat(${columns.length - 2}, minmax(90px, 1fr)) 110px 2fr 70px`,
  };
  return (
    <>
      <Group justify="space-between" mb="sm">
        <SegmentedControl
          size="xs"
          aria-label="State"
          data={STATES}
          value={STATES.includes(state) ? state : "all"}
          onChange={(next) =>
            void navigate({
              search: (now) => ({ ...now, state: next === "all" ? undefined : next }),
              replace: true,
            })
          }
        />
        <Text size="sm" c="dimmed">
          {count(rows.length, "trial")}
        </Text>
      </Group>
      <Card padding={0}>
        <div
          ref={frame}
          className={classes.frame}
          role="table"
          aria-label="Trials"
          aria-rowcount={rows.length}
        >
          <div className={classes.head} style={style} role="row">
            {columns.map((column) => (
              <span
                key={column}
                role="columnheader"
                aria-sort={
                  sort.column === column ? (sort.down ? "descending" : "ascending") : "none"
                }
              >
                <button
                  type="button"
                  onClick={() =>
                    setSort((now) => ({ column, down: now.column === column ? !now.down : true }))
                  }
                >
                  {column}
                  {sort.column === column && (sort.down ? " ↓" : " ↑")}
                </button>
              </span>
            ))}
            <span role="columnheader">endpoint</span>
            <span role="columnheader">message</span>
            <span role="columnheader" aria-label="Actions" />
          </div>
          <div style={{ height: list.getTotalSize(), position: "relative" }}>
            {list.getVirtualItems().map(({ index, start }) => (
              <TrialLine
                key={rows[index]}
                study={study.id}
                trials={trials}
                index={rows[index] ?? 0}
                names={names}
                style={{ ...style, transform: `translateY(${start}px)`, height: ROW_HEIGHT }}
              />
            ))}
          </div>
        </div>
      </Card>
    </>
  );
}

type LineProps = {
  study: string;
  trials: TrialColumns;
  index: number;
  names: string[];
  style: React.CSSProperties;
};

function TrialLine({ study, trials, index, names, style }: LineProps) {
  const task = trials.task[index] ?? "";
  const state = trials.state[index] ?? "";
  const number = trials.number[index] ?? 0;
  const stop = useAction({
    call: () => studiesApi.stop(study, number),
    refresh: [keys.studies],
    success: `Trial ${number} is being stopped`,
    onError: showError,
  });
  return (
    <div className={classes.row} style={style} role="row" data-state={state}>
      <span role="cell">
        {task ? (
          <Anchor
            size="sm"
            renderRoot={(props) => <Link to="/tasks/$task" params={{ task }} {...props} />}
          >
            {number}
          </Anchor>
        ) : (
          number
        )}
      </span>
      <span role="cell">{state}</span>
      {trials.values.map((column, objective) => {
        const value = column[index] ?? (objective === 0 ? trials.last[index] : null);
        const isFinal = column[index] != null;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: objectives have no other name here
          <span key={objective} role="cell" data-partial={!isFinal || undefined}>
            {value == null ? "" : formatNumber(value)}
          </span>
        );
      })}
      {names.map((name) => (
        <span key={name} role="cell">
          {paramText(trials.params[name]?.[index])}
        </span>
      ))}
      <span role="cell">{trials.endpoint[index]}</span>
      <span role="cell" title={trials.message[index]}>
        {trials.message[index]}
      </span>
      <span role="cell">
        {(state === "running" || state === "waiting") && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => stop.run()}
            loading={stop.isPending}
          >
            Stop
          </Button>
        )}
      </span>
    </div>
  );
}

function sorted(trials: TrialColumns, state: string, { column, down }: Sort): number[] {
  const rows = trials.number
    .map((_, index) => index)
    .filter((index) => !STATES.includes(state) || state === "all" || trials.state[index] === state);
  const keyOf = keyOfColumn(trials, column);
  const sign = down ? -1 : 1;
  return rows.sort((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)];
    if (left == null || right == null) return left == null ? (right == null ? 0 : 1) : -1;
    if (typeof left === "number" && typeof right === "number") return sign * (left - right);
    return sign * String(left).localeCompare(String(right));
  });
}

function keyOfColumn(trials: TrialColumns, column: string) {
  if (column === "number") return (index: number) => trials.number[index];
  if (column === "state") return (index: number) => trials.state[index];
  const param = trials.params[column];
  if (param) return (index: number) => param[index] as string | number | null;
  return (index: number) => trials.values[0]?.[index] ?? trials.last[index];
}
