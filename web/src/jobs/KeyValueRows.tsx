import {
  ActionIcon,
  Autocomplete,
  Button,
  Group,
  Input,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import classes from "./KeyValueRows.module.css";
import { emptyRow, mappingOf, type Row, repeatedNames, rowsMatch, rowsOf } from "./spec/rows";
import { type Cells, TYPED } from "./spec/values";

/** Labels of the rows. */
export type RowTexts = {
  label: string;
  help: string;
  nameLabel: string;
  valueLabel: string;
  add: string;
  namePlaceholder?: string;
  valuePlaceholder?: string;
  /** Beside each value: another way to choose it. */
  chooser?: (label: string, onChoose: (value: string) => void) => ReactNode;
};

/** A value to choose, what it is, and the name that a row without one gets. */
export type Choice = { value: string; about: string; name: string };

type KeyValueRowsProps = RowTexts & {
  /** Offered as values; others may be typed. */
  choices?: Choice[];
  id: string;
  value: unknown;
  fault?: string;
  cells?: Cells;
  onChange: (mapping: Record<string, unknown>) => void;
  onBlur?: () => void;
};

/** A mapping edited as rows of names and values. */
export function KeyValueRows({
  id,
  value,
  fault,
  cells = TYPED,
  onChange,
  onBlur,
  ...texts
}: KeyValueRowsProps) {
  const [rows, setRows] = useRows(value, cells);
  const update = (next: Row[]) => {
    setRows(next);
    onChange(mappingOf(next, cells));
  };
  const duplicates = repeatedNames(rows);
  return (
    <Input.Wrapper
      label={texts.label}
      labelElement="div"
      description={texts.help}
      error={fault ?? (duplicates.length ? `Duplicate name: ${duplicates.join(", ")}` : undefined)}
      inputWrapperOrder={["label", "description", "input", "error"]}
      id={id}
      role="group"
      aria-label={texts.label}
      tabIndex={-1}
    >
      <Stack gap={6} mt={rows.length ? 6 : 0}>
        {rows.map((row, at) => (
          <RowInputs
            key={row.id}
            {...texts}
            row={row}
            at={at + 1}
            onChange={(changed) =>
              update(rows.map((other) => (other.id === row.id ? changed : other)))
            }
            onRemove={() => update(rows.filter((other) => other.id !== row.id))}
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
            {texts.add}
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}

/** Keeps half-typed rows, and follows the mapping when it changes elsewhere. */
function useRows(mapping: unknown, cells: Cells): [Row[], (rows: Row[]) => void] {
  const [rows, setRows] = useState(() => rowsOf(mapping, cells));
  if (rowsMatch(rows, mapping, cells)) return [rows, setRows];
  const current = rowsOf(mapping, cells);
  setRows(current);
  return [current, setRows];
}

type RowInputsProps = RowTexts & {
  choices?: Choice[];
  row: Row;
  at: number;
  onChange: (row: Row) => void;
  onRemove: () => void;
  onBlur?: () => void;
};

function RowInputs({ row, at, onChange, onRemove, onBlur, choices, ...texts }: RowInputsProps) {
  const value = {
    className: classes.value,
    "aria-label": `${texts.valueLabel} ${at}`,
    placeholder: texts.valuePlaceholder,
    value: row.value,
    onBlur,
    spellCheck: false,
  };
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <TextInput
        className={classes.name}
        aria-label={`${texts.nameLabel} ${at}`}
        placeholder={texts.namePlaceholder}
        value={row.name}
        onChange={(event) => onChange({ ...row, name: event.currentTarget.value })}
        onBlur={onBlur}
        spellCheck={false}
        autoFocus={!row.name && !row.value}
      />
      <Text c="dimmed" lh="34px" aria-hidden>
        =
      </Text>
      {choices?.length ? (
        <ChoiceInput {...value} choices={choices} row={row} onRow={onChange} />
      ) : (
        <TextInput
          {...value}
          onChange={(event) => onChange({ ...row, value: event.currentTarget.value })}
        />
      )}
      {texts.chooser?.(`Browse for ${row.name || `row ${at}`}`, (value) =>
        onChange({ ...row, name: row.name || nameFor(value), value }),
      )}
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

type ChoiceInputProps = {
  choices: Choice[];
  row: Row;
  onRow: (row: Row) => void;
  className?: string;
  placeholder?: string;
  value: string;
  onBlur?: () => void;
};

function ChoiceInput({ choices, row, onRow, ...input }: ChoiceInputProps) {
  const known = new Map(choices.map((choice) => [choice.value, choice]));
  return (
    <Autocomplete
      {...input}
      data={[...known.keys()]}
      limit={20}
      onChange={(value) => onRow({ ...row, value, name: row.name || known.get(value)?.name || "" })}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{option.value}</Text>
          <Text size="xs" c="dimmed">
            {known.get(option.value)?.about}
          </Text>
        </div>
      )}
    />
  );
}

/** A name for data that was chosen by its path. */
function nameFor(path: string) {
  const last = path.split("/").filter(Boolean).pop() ?? "";
  return last
    .replace(/\.\w+$/, "")
    .replace(/[^A-Za-z0-9._-]/g, "-")
    .replace(/^[^A-Za-z0-9_]+/, "");
}
