import { Button, MultiSelect, Popover, Text } from "@mantine/core";
import { IconColumns } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { summariesQuery } from "../summaries";
import { type ColumnKey, columnChoices, columnLabel } from "./columns";

type ColumnChooserProps = {
  /** Tasks whose parameters and metrics are offered. */
  tasks: string[];
  chosen: ColumnKey[];
  onChange: (columns: ColumnKey[]) => void;
};

const LOOKED_AT = 50;

/** Chooses parameters and metrics as columns of a table of tasks. */
export function ColumnChooser({ tasks, chosen, onChange }: ColumnChooserProps) {
  return (
    <Popover position="bottom-end" width={340} trapFocus withinPortal keepMounted={false}>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconColumns size={15} aria-hidden />}
          fw={500}
          px="sm"
        >
          Columns{chosen.length > 0 && ` (${chosen.length})`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Choices tasks={tasks.slice(0, LOOKED_AT)} chosen={chosen} onChange={onChange} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Choices({ tasks, chosen, onChange }: ColumnChooserProps) {
  const { data = [], isLoading } = useQuery(summariesQuery(tasks));
  const groups = columnChoices(data);
  const offered = new Set(groups.flatMap(({ items }) => items.map(({ value }) => value)));
  const others = chosen.filter((column) => !offered.has(column));
  const rest = others.map((value) => ({ value, label: columnLabel(value) }));
  return (
    <>
      <MultiSelect
        label="Extra columns"
        placeholder={isLoading ? "Loading" : "Parameters and metrics"}
        data={rest.length ? [...groups, { group: "Chosen", items: rest }] : groups}
        value={chosen}
        onChange={onChange}
        searchable
        clearable
        hidePickedOptions
        maxDropdownHeight={320}
        comboboxProps={{ withinPortal: false }}
        clearButtonProps={{ "aria-label": "Remove all extra columns" }}
        nothingFoundMessage="No such parameter or metric in these tasks"
      />
      <Text size="xs" c="dimmed" mt={6}>
        From the tasks in the list. The choice is part of the address.
      </Text>
    </>
  );
}
