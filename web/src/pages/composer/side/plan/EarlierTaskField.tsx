import { Autocomplete } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Task } from "~/api/client";
import { earlierTasksQuery } from "../../start/queries";

function nameOf(tasks: Task[], id: string): string {
  const match = tasks.find((task) => task.id === id);
  return `${match?.name ?? ""} ${id.slice(0, 8)}`;
}

type EarlierTaskFieldProps = { value: string; onChange: (value: string) => void };

/** A task that logged its steps; its pace is used for the estimate. */
export function EarlierTaskField({ value, onChange }: EarlierTaskFieldProps) {
  const [settled] = useDebouncedValue(value.trim(), 250);
  const tasks = useQuery({ ...earlierTasksQuery(settled), placeholderData: keepPreviousData });
  const matches = tasks.data?.items ?? [];
  return (
    <Autocomplete
      label="Pace of an earlier task"
      placeholder="Search by name or id"
      description="A task that logged its steps. Its time per step and start-up time are used."
      inputWrapperOrder={["label", "input", "description"]}
      autoComplete="off"
      value={value}
      onChange={onChange}
      data={matches.map(({ id }) => id)}
      renderOption={({ option }) => nameOf(matches, option.value)}
      filter={({ options }) => options}
      limit={8}
      clearable
    />
  );
}
