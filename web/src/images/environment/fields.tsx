import {
  Autocomplete,
  type AutocompleteProps,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from "@mantine/core";
import { useState } from "react";
import { readLines, showValue } from "~/jobs/spec/values";
import { useEnvironmentField } from "./context";
import { ENVIRONMENT_LABELS } from "./labels";

type Path = { path: string; help?: string };
const ORDER: TextInputProps["inputWrapperOrder"] = ["label", "input", "description", "error"];
const MONOSPACE = { input: { fontFamily: "var(--mantine-font-family-monospace)" } };

function useFieldProps({ path, help }: Path) {
  const field = useEnvironmentField(path);
  const shared = {
    id: field.id,
    label: ENVIRONMENT_LABELS[path] ?? path,
    error: field.fault,
    description: field.fault ? undefined : help,
    onBlur: field.touch,
    inputWrapperOrder: ORDER,
    autoComplete: "off",
    spellCheck: false,
  };
  return { field, shared };
}

export function EnvironmentText({ path, help, ...rest }: Path & TextInputProps) {
  const { field, shared } = useFieldProps({ path, help });
  return (
    <TextInput
      {...shared}
      {...rest}
      value={showValue(field.value)}
      onChange={(event) => field.set(event.currentTarget.value)}
    />
  );
}

/** Text with suggestions. */
export function EnvironmentChoice({ path, help, ...rest }: Path & AutocompleteProps) {
  const { field, shared } = useFieldProps({ path, help });
  return (
    <Autocomplete
      {...shared}
      {...rest}
      value={showValue(field.value)}
      filter={({ options }) => options}
      onChange={field.set}
    />
  );
}

export function EnvironmentScript({ path, help, ...rest }: Path & TextareaProps) {
  const { field, shared } = useFieldProps({ path, help });
  return (
    <Textarea
      {...shared}
      autosize
      minRows={2}
      maxRows={14}
      styles={MONOSPACE}
      {...rest}
      value={showValue(field.value)}
      onChange={(event) => field.set(event.currentTarget.value)}
    />
  );
}

/** A list with one entry per line. */
export function EnvironmentLines({ path, help, ...rest }: Path & TextareaProps) {
  const { field, shared } = useFieldProps({ path, help });
  const lines = Array.isArray(field.value) ? field.value.map(showValue) : [];
  const [text, setText] = useLines(lines);
  return (
    <Textarea
      {...shared}
      autosize
      minRows={3}
      maxRows={14}
      styles={MONOSPACE}
      {...rest}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        field.set(readLines(event.currentTarget.value));
      }}
    />
  );
}

/** Keeps the text as typed, including empty lines, while it means the same list. */
function useLines(lines: string[]): [string, (text: string) => void] {
  const [text, setText] = useState(lines.join("\n"));
  if (readLines(text).join("\n") === lines.join("\n")) return [text, setText];
  return [lines.join("\n"), setText];
}
