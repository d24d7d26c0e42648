import {
  Autocomplete,
  type AutocompleteProps,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from "@mantine/core";
import { readCount, showValue } from "~/jobs/spec/values";
import { labelOf } from "../fieldLabels";
import { useField } from "../state/context";

type Path = { path: string; help?: string };
const ORDER: TextInputProps["inputWrapperOrder"] = ["label", "input", "description", "error"];

/** Common properties: the site's limit below the field, or its fault in the same place. */
function useFieldProps({ path, help }: Path) {
  const field = useField(path);
  return {
    field,
    shared: {
      id: field.id,
      label: labelOf(path),
      error: field.fault,
      description: field.fault ? undefined : (field.limit?.text ?? help),
      onBlur: field.touch,
      inputWrapperOrder: ORDER,
      autoComplete: "off",
      spellCheck: false,
    },
  };
}

export function TextField({ path, help, ...rest }: Path & TextInputProps) {
  const { field, shared } = useFieldProps({ path, help });
  return (
    <TextInput
      {...shared}
      {...rest}
      value={rest.value ?? showValue(field.value)}
      placeholder={rest.placeholder ?? field.limit?.default}
      onChange={rest.onChange ?? ((event) => field.set(event.currentTarget.value))}
    />
  );
}

/** A whole number; anything else is sent unchanged for the service to reject. */
export function CountField({ path, help, ...rest }: Path & TextInputProps) {
  const { field, shared } = useFieldProps({ path, help });
  return (
    <TextInput
      {...shared}
      {...rest}
      inputMode="numeric"
      value={showValue(field.value)}
      placeholder={rest.placeholder ?? field.limit?.default}
      onChange={(event) => field.set(readCount(event.currentTarget.value))}
    />
  );
}

export function LongField({ path, help, ...rest }: Path & TextareaProps) {
  const { field, shared } = useFieldProps({ path, help });
  return (
    <Textarea
      {...shared}
      autosize
      minRows={2}
      maxRows={14}
      styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
      {...rest}
      value={rest.value ?? showValue(field.value)}
      onChange={rest.onChange ?? ((event) => field.set(event.currentTarget.value))}
    />
  );
}

/** Text with the site's names as suggestions. */
export function ChoiceField({ path, help, ...rest }: Path & AutocompleteProps) {
  const { field, shared } = useFieldProps({ path, help });
  return (
    <Autocomplete
      {...shared}
      {...rest}
      value={rest.value ?? showValue(field.value)}
      placeholder={rest.placeholder ?? field.limit?.default}
      filter={({ options }) => options}
      onChange={rest.onChange ?? field.set}
    />
  );
}
