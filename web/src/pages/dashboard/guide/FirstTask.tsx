import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Task } from "~/api/client";
import { MessageText } from "~/components/MessageText";
import { QueryResult } from "~/components/QueryResult";
import { Elapsed } from "~/components/Time";
import { LiveLog } from "~/output/LiveLog";
import { taskQuery } from "~/tasks/queries";
import { StateBadge } from "~/tasks/StateBadge";
import { formatMetric, mainMetric } from "./curve";
import classes from "./Guide.module.css";
import { LiveCurve } from "./LiveCurve";
import { useCurves } from "./useCurves";

/** The guide's first task: state, log and curve live, and what to do next. */
export function FirstTask({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(taskQuery(id));
  return (
    <QueryResult query={query}>
      {(task) => <TaskProgress task={task} onClose={onClose} />}
    </QueryResult>
  );
}

function TaskProgress({ task, onClose }: { task: Task; onClose: () => void }) {
  const curves = useCurves(task);
  const metric = mainMetric(Object.keys(curves));
  const points = (metric && curves[metric]) || [];
  const last = points.at(-1);
  const result = metric && last ? formatMetric(metric, last.value) : "";
  return (
    <Stack gap="sm" mt="md">
      <Group gap="sm">
        <StateBadge task={task} size="lg" />
        <Text size="sm" c="dimmed" component="div">
          {task.name} on {task.endpoint}, <Elapsed from={task.created} to={task.ended} />
        </Text>
      </Group>
      <div role="status">
        {currentActivity(task) && (
          <Text size="sm">
            <MessageText text={currentActivity(task)} />
          </Text>
        )}
      </div>
      <div className={classes.live}>
        <LiveLog task={task} />
        <LiveCurve name={metric} points={points} />
      </div>
      {task.state === "succeeded" && (
        <TrainingSucceeded task={task} metric={metric} result={result} onClose={onClose} />
      )}
      {(task.state === "failed" || task.state === "cancelled") && <TrainingFailed task={task} />}
    </Stack>
  );
}

/** What the state means to someone who sees it for the first time. */
function currentActivity(task: Task): string {
  if (task.message) return task.message;
  if (task.state === "preparing") return "Diamond is preparing the code and the packages.";
  if (task.state === "pending") return "Waiting in the queue.";
  if (task.state === "running") return "Training. Each epoch adds a point to the curve.";
  return "";
}

type TrainingSucceededProps = { task: Task; metric?: string; result: string; onClose: () => void };

function TrainingSucceeded({ task, metric, result, onClose }: TrainingSucceededProps) {
  const title = result ? `You trained a model: ${result}` : "You trained a model";
  return (
    <Alert color="teal" icon={<IconCircleCheck />} title={title}>
      <Stack gap="sm">
        <Text size="sm">
          {metric && `This is the ${metric} on examples the model has never seen. `}
          The model and all files are in the task's run directory.
        </Text>
        <Group gap="xs">
          <Button
            size="xs"
            renderRoot={(props) => <Link to="/tasks/$task" params={{ task: task.id }} {...props} />}
          >
            View task
          </Button>
          <Button
            size="xs"
            variant="default"
            renderRoot={(props) => <Link to="/compose" {...props} />}
          >
            Run your own code
          </Button>
          <Button
            size="xs"
            variant="default"
            renderRoot={(props) => <Link to="/endpoints" search={{ add: "choose" }} {...props} />}
          >
            Add a cluster
          </Button>
          <Button size="xs" variant="subtle" onClick={onClose}>
            Close guide
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function TrainingFailed({ task }: { task: Task }) {
  return (
    <Group gap="xs">
      <Button
        size="xs"
        renderRoot={(props) => <Link to="/tasks/$task" params={{ task: task.id }} {...props} />}
      >
        View task
      </Button>
      <Button
        size="xs"
        variant="default"
        renderRoot={(props) => <Link to="/" search={{ guide: "show" }} {...props} />}
      >
        Start over
      </Button>
    </Group>
  );
}
