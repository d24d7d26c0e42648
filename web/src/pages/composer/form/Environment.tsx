import { Button, FileButton, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconFileText } from "@tabler/icons-react";
import { useState } from "react";
import classes from "../Composer.module.css";
import { isMapping } from "../spec/draft";
import { readLines, readRequirements, showValue } from "../spec/values";
import { useField } from "../state/context";
import { LongField, TextField } from "./fields";

/** How a program gets its packages. Each kind is one line here and one component below. */
const KINDS = [
  { value: "none", label: "The machine's own" },
  { value: "packages", label: "Python packages" },
];

export function EnvironmentField() {
  const field = useField("environment");
  const [isOpen, setOpen] = useState(false);
  const kind = kindOf(field.value) === "none" && isOpen ? "packages" : kindOf(field.value);
  const choose = (next: string) => {
    setOpen(next === "packages");
    if (kind === "other") field.set(undefined);
    else if (next === "none") field.set(withoutPackages(field.value));
  };
  return (
    <Stack gap={6} id={field.id} tabIndex={-1}>
      <Text size="sm" fw={500} id="environment-label">
        Environment
      </Text>
      <Group>
        <SegmentedControl
          className={classes.segments}
          aria-labelledby="environment-label"
          data={KINDS}
          value={kind}
          onChange={choose}
        />
      </Group>
      {kind === "none" && (
        <Text size="xs" c="dimmed">
          Nothing is installed: the program finds what the machine has.
        </Text>
      )}
      {kind === "packages" && <Packages />}
      {kind === "other" && (
        <Text size="sm" c={field.fault ? "var(--mantine-color-error)" : undefined}>
          {field.fault ?? `Named in the YAML: ${showValue(field.value)}`}
        </Text>
      )}
    </Stack>
  );
}

function Packages() {
  const field = useField("environment.requirements");
  const lines = Array.isArray(field.value) ? field.value.map(showValue) : [];
  const [text, setText] = useLines(lines);
  const take = (next: string, read = readLines) => {
    setText(next);
    field.set(read(next));
  };
  const fromFile = async (file: File | null) => {
    if (file) take(readRequirements(await file.text()).join("\n"));
  };
  return (
    <Group align="flex-start" gap="md">
      <LongField
        path="environment.requirements"
        help="One a line, as in a requirements.txt. Made once, then used again."
        placeholder={"torch\nscikit-learn"}
        minRows={3}
        value={text}
        onChange={(event) => take(event.currentTarget.value)}
        flex={1}
        miw={220}
      />
      <Stack gap="xs" w={190}>
        <TextField
          path="environment.python"
          placeholder="the machine's own"
          help="A version such as 3.11."
        />
        <FileButton onChange={(file) => void fromFile(file)} accept=".txt,.in,text/plain">
          {(props) => (
            <Button
              {...props}
              size="xs"
              variant="default"
              leftSection={<IconFileText size={14} aria-hidden />}
            >
              From requirements.txt
            </Button>
          )}
        </FileButton>
      </Stack>
    </Group>
  );
}

/** The text as typed, empty lines included, as long as it says what the list says. */
function useLines(lines: string[]): [string, (text: string) => void] {
  const [text, setText] = useState(lines.join("\n"));
  if (readLines(text).join("\n") === lines.join("\n")) return [text, setText];
  return [lines.join("\n"), setText];
}

function withoutPackages(environment: unknown): unknown {
  return isMapping(environment) ? { variables: environment.variables } : undefined;
}

function kindOf(environment: unknown): "none" | "packages" | "other" {
  if (typeof environment === "string") return "other";
  const hasPackages =
    isMapping(environment) && ("requirements" in environment || "python" in environment);
  return hasPackages ? "packages" : "none";
}
