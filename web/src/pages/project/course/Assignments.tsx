import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { IconPencil, IconPlayerPlay, IconPlus, IconSchool } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { keys } from "~/api/queryKeys";
import { EmptyState } from "~/components/EmptyState";
import { ErrorAlert } from "~/components/ErrorAlert";
import { QueryResult } from "~/components/QueryResult";
import { TimeAgo } from "~/components/Time";
import { useAction } from "~/components/useAction";
import { type Assignment, assignmentsQuery, coursesApi } from "~/courses/api";
import { randomKey } from "~/lib/randomKey";
import type { ProjectPage } from "~/projects/api";
import { canAdd, isManager } from "~/projects/permissions";
import { AssignmentEditor } from "./AssignmentEditor";
import { RemoveAssignment } from "./RemoveAssignment";

/** The assignments of a course; students start copies with one click. */
export function Assignments({ project }: { project: ProjectPage }) {
  const [isNew, setNew] = useState(false);
  const query = useQuery(assignmentsQuery(project.id));
  const add = isManager(project) && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setNew(true)}>
      New assignment
    </Button>
  );
  return (
    <>
      <QueryResult query={query}>
        {({ items }) =>
          items.length ? (
            <Stack>
              {add && <Group>{add}</Group>}
              {items.map((assignment) => (
                <AssignmentCard key={assignment.id} project={project} assignment={assignment} />
              ))}
            </Stack>
          ) : (
            <EmptyState icon={IconSchool} title="No assignments yet" action={add}>
              {isManager(project)
                ? "An assignment is a job that every student runs a copy of, with or without changes."
                : "Your instructor's assignments appear here. You start your own copy with one click."}
            </EmptyState>
          )
        }
      </QueryResult>
      {isNew && (
        <AssignmentEditor project={project} assignment={null} onClose={() => setNew(false)} />
      )}
    </>
  );
}

type CardProps = { project: ProjectPage; assignment: Assignment };

function AssignmentCard({ project, assignment }: CardProps) {
  const [key] = useState(randomKey);
  const navigate = useNavigate();
  const run = useAction({
    call: () =>
      coursesApi.runAssignment(
        project.id,
        assignment.name,
        { on: "", spec: null, code: null },
        key,
      ),
    refresh: [keys.tasks],
    success: `Your copy of ${assignment.name} submitted`,
    onSuccess: ({ tasks, job }) =>
      void navigate({ to: "/tasks/$task", params: { task: tasks[0]?.id ?? job.id } }),
  });
  return (
    <Card component="article" aria-label={assignment.title || assignment.name}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <div>
            <Title order={2}>{assignment.title || assignment.name}</Title>
            <Text size="sm" c="dimmed">
              {assignment.due == null ? (
                "no due date"
              ) : (
                <>
                  due <TimeAgo at={assignment.due} />
                </>
              )}
            </Text>
          </div>
          {isManager(project) && <ManagerButtons project={project} assignment={assignment} />}
        </Group>
        {assignment.text && (
          <Text size="sm" maw={760} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
            {assignment.text}
          </Text>
        )}
        {run.error && <ErrorAlert error={run.error} />}
        {canAdd(project) && (
          <Group gap="xs">
            <Button
              leftSection={<IconPlayerPlay size={16} aria-hidden />}
              loading={run.isPending}
              onClick={() => run.run()}
            >
              Start my copy
            </Button>
            <Button
              variant="default"
              leftSection={<IconPencil size={16} aria-hidden />}
              renderRoot={(props) => (
                <Link
                  to="/compose"
                  search={{ project: project.id, assignment: assignment.name }}
                  {...props}
                />
              )}
            >
              Edit before starting
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}

function ManagerButtons({ project, assignment }: CardProps) {
  const [isOpen, setOpen] = useState<"edit" | "remove" | null>(null);
  const close = () => setOpen(null);
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" onClick={() => setOpen("edit")}>
        Edit
      </Button>
      <Button size="xs" variant="light" color="red" onClick={() => setOpen("remove")}>
        Delete…
      </Button>
      {isOpen === "edit" && (
        <AssignmentEditor project={project} assignment={assignment} onClose={close} />
      )}
      {isOpen === "remove" && (
        <RemoveAssignment project={project} assignment={assignment} onClose={close} />
      )}
    </Group>
  );
}
