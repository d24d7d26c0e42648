import { ActionIcon, Button, Group, Input, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import {
  emptyRow,
  mappingOf,
  type Row,
  repeatedNames,
  rowsOf,
  rowsSay,
} from "~/pages/composer/spec/rows";
import { type Cells, TYPED } from "~/pages/composer/spec/values";
import classes from "./Rows.module.css";

/** How the rows are called. */
export type RowsWords = {
  label: string;
  help: string;
  nameLabel: string;
  valueLabel: string;
  add: string;
  namePlaceholder?: string;
  valuePlaceholder?: string;
};

type RowsProps = RowsWords & {
  id: string;
  value: unknown;
  fault?: string;
  cells?: Cells;
  onChange: (mapping: Record<string, unknown>) => void;
  onBlur?: () => void;
};

/** A mapping as rows of names and values. */
export function Rows({ id, value, fault, cells = TYPED, onChange, onBlur, ...words }: RowsProps) {
  const [rows, setRows] = useRows(value, cells);
  const update = (next: Row[]) => {
    setRows(next);
    onChange(mappingOf(next, cells));
  };
  const twice = repeatedNames(rows);
  return (
    <Input.Wrapper
      label={words.label}
      labelElement="div"
      description={words.help}
      error={fault ?? (twice.length ? `Duplicate name: ${twice.join(", ")}` : undefined)}
      inputWrapperOrder={["label", "description", "input", "error"]}
      id={id}
      role="group"
      aria-label={words.label}
      tabIndex={-1}
    >
      <Stack gap={6} mt={rows.length ? 6 : 0}>
        {rows.map((row, at) => (
          <RowInputs
            key={row.id}
            {...words}
            row={row}
            at={at + 1}
            onChange={(changed) => update(rows.map((one) => (one.id === row.id ? changed : one)))}
            onRemove={() => update(rows.filter((one) => one.id !== row.id))}
            onBlur={onBlur}
          />
        ))}
        <Group>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => setRows([...rows, emptyRow()])}
          >
            {words.add}
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}

/** Rows keep what is half typed, and follow the mapping when it changes elsewhere. */
function useRows(mapping: unknown, cells: Cells): [Row[], (rows: Row[]) => void] {
  const [rows, setRows] = useState(() => rowsOf(mapping, cells));
  if (rowsSay(rows, mapping, cells)) return [rows, setRows];
  const followed = rowsOf(mapping, cells);
  setRows(followed);
  return [followed, setRows];
}

type RowInputsProps = RowsWords & {
  row: Row;
  at: number;
  onChange: (row: Row) => void;
  onRemove: () => void;
  onBlur?: () => void;
};

function RowInputs({ row, at, onChange, onRemove, onBlur, ...words }: RowInputsProps) {
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <TextInput
        className={classes.name}
        aria-label={`${words.nameLabel} ${at}`}
        placeholder={words.namePlaceholder}
        value={row.name}
        onChange={(event) => onChange({ ...row, name: event.currentTarget.value })}
        onBlur={onBlur}
        spellCheck={false}
        autoFocus={!row.name && !row.value}
      />
      <Text c="dimmed" lh="34px" aria-hidden>
        =
      </Text>
      <TextInput
        className={classes.value}
        aria-label={`${words.valueLabel} ${at}`}
        placeholder={words.valuePlaceholder}
        value={row.value}
        onChange={(event) => onChange({ ...row, value: event.currentTarget.value })}
        onBlur={onBlur}
        spellCheck={false}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        size={34}
        onClick={onRemove}
        aria-label={`Remove ${row.name || `row ${at}`}`}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  );
}
