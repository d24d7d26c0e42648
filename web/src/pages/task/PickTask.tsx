import { Select } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, dataOf, type Task } from "~/api/client";
import { keys } from "~/api/queries";
import { ago } from "~/lib/format";
import { valueText } from "./words";

type PickTaskProps = { label: string; taken: string[]; onPick: (task: string) => void };

/** A list without any choice is none to a screen reader. */
const NONE = { value: "", label: "No matching task", disabled: true };
const LOOKING = { ...NONE, label: "Searching…" };

/** Find another task by its name. */
export function PickTask({ label, taken, onPick }: PickTaskProps) {
  const [typed, setTyped] = useState("");
  const [sought] = useDebouncedValue(typed, 250);
  const [opened, { open, close }] = useDisclosure(false);
  const { data } = useQuery({
    queryKey: [...keys.tasks, "compare", sought],
    queryFn: () =>
      dataOf(api.GET("/api/v1/tasks", { params: { query: { search: sought, limit: 20 } } })),
    placeholderData: keepPreviousData,
    enabled: opened,
  });
  const found = (data?.items ?? []).filter((task) => !taken.includes(task.id));
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
      data={found.length ? found.map(choiceOf) : [data ? NONE : LOOKING]}
      onChange={(id) => {
        if (id) onPick(id);
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
