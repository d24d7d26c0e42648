import { Autocomplete } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { earlierTasksQuery } from "../../start/queries";

type LikeFieldProps = { value: string; onChange: (value: string) => void };

/** A task that logged its steps: its pace is taken. */
export function LikeField({ value, onChange }: LikeFieldProps) {
  const [settled] = useDebouncedValue(value.trim(), 250);
  const tasks = useQuery({ ...earlierTasksQuery(settled), placeholderData: keepPreviousData });
  const found = tasks.data?.items ?? [];
  return (
    <Autocomplete
      label="As fast as the task"
      placeholder="Search by name or id"
      description="One that logged its steps; its pace and its start are measured there."
      inputWrapperOrder={["label", "input", "description"]}
      autoComplete="off"
      value={value}
      onChange={onChange}
      data={found.map(({ id, name }) => ({ value: id, label: `${name} ${id.slice(0, 8)}` }))}
      onOptionSubmit={onChange}
      filter={({ options }) => options}
      limit={8}
      clearable
    />
  );
}
