import { TextInput } from "@mantine/core";
import { fromInputValue, toInputValue } from "~/lib/datetime";

type DateTimeInputProps = {
  label: string;
  description?: string;
  value: number | null;
  onChange: (at: number | null) => void;
};

/** Date and time in the reader's time zone; empty for none. */
export function DateTimeInput({ label, description, value, onChange }: DateTimeInputProps) {
  return (
    <TextInput
      type="datetime-local"
      label={label}
      description={description}
      value={toInputValue(value)}
      onChange={(event) => onChange(fromInputValue(event.currentTarget.value))}
    />
  );
}
