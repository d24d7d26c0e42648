import { ActionIcon, Button, Group, Input, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import classes from "../Composer.module.css";
import { labelOf } from "../labels";
import { emptyRow, mappingOf, type Row, repeatedNames, rowsOf, rowsSay } from "../spec/rows";
import { type Cells, TYPED } from "../spec/values";
import { useField } from "../state/context";

type RowsFieldProps = {
  path: string;
  label?: string;
  help: string;
  nameLabel: string;
  valueLabel: string;
  add: string;
  namePlaceholder?: string;
  valuePlaceholder?: string;
  cells?: Cells;
};

/** A mapping of the spec as rows of names and values. */
export function RowsField(props: RowsFieldProps) {
  const { path, label = labelOf(props.path), help, add, cells = TYPED } = props;
  const field = useField(path);
  const [rows, setRows] = useRows(field.value, cells);
  const update = (next: Row[]) => {
    setRows(next);
    field.set(mappingOf(next, cells));
  };
  const twice = repeatedNames(rows);
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description={help}
      error={
        field.fault ?? (twice.length ? `Named more than once: ${twice.join(", ")}` : undefined)
      }
      inputWrapperOrder={["label", "description", "input", "error"]}
      id={field.id}
      role="group"
      aria-label={label}
      tabIndex={-1}
    >
      <Stack gap={6} mt={rows.length ? 6 : 0}>
        {rows.map((row, at) => (
          <RowInputs
            key={row.id}
            {...props}
            row={row}
            at={at + 1}
            onChange={(changed) => update(rows.map((one) => (one.id === row.id ? changed : one)))}
            onRemove={() => update(rows.filter((one) => one.id !== row.id))}
            onBlur={field.touch}
          />
        ))}
        <Group>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => setRows([...rows, emptyRow()])}
          >
            {add}
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}

/** Rows keep what is half typed, and follow the spec when it changes elsewhere. */
function useRows(mapping: unknown, cells: Cells): [Row[], (rows: Row[]) => void] {
  const [rows, setRows] = useState(() => rowsOf(mapping, cells));
  if (rowsSay(rows, mapping, cells)) return [rows, setRows];
  const followed = rowsOf(mapping, cells);
  setRows(followed);
  return [followed, setRows];
}

type RowInputsProps = RowsFieldProps & {
  row: Row;
  at: number;
  onChange: (row: Row) => void;
  onRemove: () => void;
  onBlur: () => void;
};

function RowInputs({ row, at, onChange, onRemove, onBlur, ...props }: RowInputsProps) {
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <TextInput
        className={classes.rowName}
        aria-label={`${props.nameLabel} ${at}`}
        placeholder={props.namePlaceholder}
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
        className={classes.rowValue}
        aria-label={`${props.valueLabel} ${at}`}
        placeholder={props.valuePlaceholder}
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
