import { Anchor, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconHistory, IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Task } from "~/api/client";
import { EmptyState } from "~/components/EmptyState";
import { QueryResult } from "~/components/QueryResult";
import { TaskTable } from "~/tasks/TaskTable";
import { earlierTasksQuery } from "./queries";

/** Choose a task to run again, with or without changes. */
export function EarlierTasks() {
  const [search, setSearch] = useState("");
  const [settled] = useDebouncedValue(search.trim(), 250);
  const tasks = useQuery({ ...earlierTasksQuery(settled), placeholderData: keepPreviousData });
  return (
    <Stack gap="sm">
      <TextInput
        aria-label="Search earlier tasks"
        placeholder="Search by name, endpoint or id"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        maw={420}
      />
      <QueryResult query={tasks}>
        {({ items }) =>
          items.length ? <TaskTable tasks={items} name={nameOf} /> : <NoTasks search={settled} />
        }
      </QueryResult>
    </Stack>
  );
}

function nameOf(task: Task) {
  return (
    <Group gap={8}>
      <Anchor
        size="sm"
        renderRoot={(props) => <Link to="/compose" search={{ from: task.id }} {...props} />}
      >
        {task.name}
      </Anchor>
      <Text size="xs" c="dimmed" ff="monospace">
        {task.id.slice(0, 8)}
      </Text>
    </Group>
  );
}

function NoTasks({ search }: { search: string }) {
  return (
    <EmptyState icon={IconHistory} title={search ? "No matching task" : "No tasks yet"}>
      {search
        ? "Try fewer words or part of the name."
        : "Once a task has run, you can run it again from here, with or without changes."}
    </EmptyState>
  );
}
