import { Select } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, dataOf, type Task } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { timeAgo } from "~/lib/format";
import { valueText } from "~/lib/text";

type TaskPickerProps = { label: string; exclude: string[]; onPick: (task: string) => void };

/** A list without options is not a list to a screen reader. */
const NO_MATCH = { value: "", label: "No matching task", disabled: true };
const SEARCHING = { ...NO_MATCH, label: "Searching…" };

/** Search for another task by name. */
export function TaskPicker({ label, exclude, onPick }: TaskPickerProps) {
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed, 250);
  const [opened, { open, close }] = useDisclosure(false);
  const { data } = useQuery({
    queryKey: [...keys.tasks, "compare", search],
    queryFn: () =>
      dataOf(api.GET("/api/v1/tasks", { params: { query: { search: search, limit: 20 } } })),
    placeholderData: keepPreviousData,
    enabled: opened,
  });
  const matches = (data?.items ?? []).filter((task) => !exclude.includes(task.id));
  return (
    <Select
      size="xs"
      w={260}
      aria-label={label}
      placeholder={label}
      leftSection={<IconPlus size={14} aria-hidden />}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      onDropdownOpen={open}
      onDropdownClose={close}
      value={null}
      data={matches.length ? matches.map(optionOf) : [data ? NO_MATCH : SEARCHING]}
      onChange={(id) => {
        if (id) onPick(id);
        setTyped("");
      }}
    />
  );
}

function optionOf(task: Task) {
  const name = `${task.name} ${task.id.slice(0, 8)}, ${timeAgo(task.created)}`;
  return { value: task.id, label: name + paramsText(task.order.params) };
}

function paramsText(params: Record<string, unknown> | undefined): string {
  const values = Object.entries(params ?? {}).map(([name, value]) => `${name}=${valueText(value)}`);
  return values.length ? ` (${values.slice(0, 4).join(", ")})` : "";
}
