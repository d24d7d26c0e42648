import { Anchor, Badge, Card, Group, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Task } from "~/api/client";
import { duration, formatBytes } from "~/lib/format";

type Dependency = Task["dependencies"][number];

const STATES = {
  waiting: { text: "Waiting", color: "yellow" },
  met: { text: "Done", color: "teal" },
  failed: { text: "Failed", color: "red" },
};
const KINDS = {
  build: "Image build",
  transfer: "Transfer",
  probe: "Test runs",
  task: "Task",
};

/** What must be there before the task is submitted. */
export function Dependencies({ task }: { task: Task }) {
  if (!task.dependencies.length) return null;
  return (
    <Card component="section" aria-label="Waiting for">
      <Title order={2} mb="xs">
        Waiting for
      </Title>
      <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: "none" }}>
        {task.dependencies.map((dependency) => (
          <DependencyLine key={`${dependency.kind} ${dependency.id}`} dependency={dependency} />
        ))}
      </Stack>
    </Card>
  );
}

function DependencyLine({ dependency }: { dependency: Dependency }) {
  const { text, color } = STATES[dependency.state];
  return (
    <Group component="li" gap="sm" wrap="nowrap">
      <Badge color={color} variant="light" miw={80}>
        {text}
      </Badge>
      <Text size="sm">
        {KINDS[dependency.kind]} <DependencyLink dependency={dependency} />
        {dependency.state === "failed" && `: ${dependency.message}`}
        {dependency.state !== "failed" && dependency.how && `: ${dependency.how}`}
        {dependency.state === "waiting" && progressText(dependency)}
      </Text>
    </Group>
  );
}

/** Bytes, rate and time left of a transfer. */
function progressText({ bytes, size, rate, seconds_left }: Dependency): string {
  if (bytes == null || !size) return "";
  const pace = rate ? `, ${formatBytes(rate)}/s` : "";
  const left = seconds_left != null ? `, ${duration(seconds_left)} left` : "";
  return `: ${formatBytes(bytes)} of ${formatBytes(size)}${pace}${left}`;
}

function DependencyLink({ dependency: { kind, id } }: { dependency: Dependency }) {
  if (kind !== "build" && kind !== "task") return id;
  const to = kind === "build" ? "/build/$task" : "/tasks/$task";
  return (
    <Anchor
      size="sm"
      underline="always"
      renderRoot={(props) => <Link to={to} params={{ task: id }} {...props} />}
    >
      {id}
    </Anchor>
  );
}
