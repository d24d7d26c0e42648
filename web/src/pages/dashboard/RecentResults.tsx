import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "~/api/client";
import { Elapsed, TimeAgo } from "~/components/Time";
import { formatNumber } from "~/lib/format";
import { StateBadge } from "~/tasks/StateBadge";
import classes from "./Dashboard.module.css";
import { DashboardCard } from "./DashboardCard";

type Result = Schemas["Result"];

/** The latest finished tasks, each with its most telling number. */
export function RecentResults({ results }: { results: Result[] }) {
  return (
    <DashboardCard
      title="Recent results"
      more={results.length > 0 && <Link to="/tasks">All tasks</Link>}
    >
      {results.length === 0 && (
        <Text size="sm" c="dimmed">
          Finished tasks appear here with their main result.
        </Text>
      )}
      {results.map((result) => (
        <ResultLine key={result.task.id} result={result} />
      ))}
    </DashboardCard>
  );
}

function ResultLine({ result: { task, headline } }: { result: Result }) {
  return (
    <div className={classes.line}>
      <div style={{ minWidth: 0 }}>
        <Link to="/tasks/$task" params={{ task: task.id }} className={classes.name}>
          {task.name}
        </Link>
        <Text size="xs" c="dimmed" component="div">
          on {task.endpoint}
          {task.ended != null && (
            <>
              , <TimeAgo at={task.ended} />
            </>
          )}
          {task.started != null && task.ended != null && (
            <>
              , took <Elapsed from={task.started} to={task.ended} />
            </>
          )}
        </Text>
      </div>
      <div className={classes.outcome}>
        {headline && (
          <Text size="sm" fw={550}>
            {headline.name} {formatNumber(headline.value)}
          </Text>
        )}
        <StateBadge task={task} />
      </div>
    </div>
  );
}
