import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, dataOf, type Task } from "~/api/client";
import { keys } from "~/api/queries";
import { ago } from "~/lib/format";
import { valueText } from "../words";

type CompareProps = { taken: string[]; onAdd: (task: string) => void };

/** A list without any choice is none to a screen reader. */
const NONE = [{ value: "", label: "No other task by that name", disabled: true }];

/** Find another task, to draw its curves on the same charts. */
export function Compare({ taken, onAdd }: CompareProps) {
  const [typed, setTyped] = useState("");
  const [sought] = useDebouncedValue(typed, 250);
  const { data } = useQuery({
    queryKey: [...keys.tasks, "compare", sought],
    queryFn: () =>
      dataOf(api.GET("/api/v1/tasks", { params: { query: { search: sought, limit: 20 } } })),
    placeholderData: keepPreviousData,
  });
  const found = (data?.items ?? []).filter((task) => !taken.includes(task.id));
  return (
    <Select
      size="xs"
      w={260}
      aria-label="Compare with another task"
      placeholder="Compare with another task"
      leftSection={<IconPlus size={14} aria-hidden />}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      value={null}
      data={found.length ? found.map(choiceOf) : NONE}
      onChange={(id) => {
        if (id) onAdd(id);
        setTyped("");
      }}
    />
  );
}

function choiceOf(task: Task) {
  const words = `${task.name} ${task.id.slice(0, 8)}, ${ago(task.created)}`;
  return { value: task.id, label: words + paramWords(task.order.params) };
}

function paramWords(params: Record<string, unknown> | undefined): string {
  const words = Object.entries(params ?? {}).map(([name, value]) => `${name}=${valueText(value)}`);
  return words.length ? ` (${words.slice(0, 4).join(", ")})` : "";
}
