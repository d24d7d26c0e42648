import { TextInput } from "@mantine/core";
import { asField, asMoment } from "~/lib/when";

type MomentProps = {
  label: string;
  description?: string;
  value: number | null;
  onChange: (at: number | null) => void;
};

/** A day and a time in the reader's own zone; empty for none. */
export function MomentInput({ label, description, value, onChange }: MomentProps) {
  return (
    <TextInput
      type="datetime-local"
      label={label}
      description={description}
      value={asField(value)}
      onChange={(event) => onChange(asMoment(event.currentTarget.value))}
    />
  );
}
