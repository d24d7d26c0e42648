import { Anchor } from "@mantine/core";
import { IconListDetails } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Task } from "~/api/client";
import { EmptyState } from "~/components/EmptyState";
import { QueryResult } from "~/components/QueryResult";
import { type Image, usesQuery } from "~/images/api";
import { TaskTable } from "~/tasks/TaskTable";

/** The tasks that used the image, newest first. */
export function UsesTab({ image }: { image: Image }) {
  return (
    <QueryResult query={useQuery(usesQuery(image.id))}>
      {({ items }) =>
        items.length ? (
          <TaskTable tasks={items} name={nameOf} />
        ) : (
          <EmptyState icon={IconListDetails} title="No tasks yet">
            To use the image in a job, choose “Existing image” under Environment, or write
            environment: {image.name || "its digest"} in the YAML.
          </EmptyState>
        )
      }
    </QueryResult>
  );
}

function nameOf(task: Task) {
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => <Link to="/tasks/$task" params={{ task: task.id }} {...props} />}
    >
      {task.name}
    </Anchor>
  );
}
