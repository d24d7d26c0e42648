import { Anchor, Button, FileButton, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconFileText } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { BaseField } from "~/images/environment/BaseField";
import { CommandsField } from "~/images/environment/CommandsField";
import { EnvironmentProvider } from "~/images/environment/context";
import { EnvironmentLines, EnvironmentScript, EnvironmentText } from "~/images/environment/fields";
import { ImagePicker } from "~/images/ImagePicker";
import { readRequirements, showValue } from "~/jobs/spec/values";
import classes from "../Composer.module.css";
import { fieldOf, useComposer, useField } from "../state/context";
import { type Kind, keptOf, kindOf } from "./environmentKind";

/** How a program gets its packages; each kind has a component below. */
const KINDS: { value: Kind; label: string }[] = [
  { value: "none", label: "None" },
  { value: "packages", label: "Python packages" },
  { value: "image", label: "Existing image" },
  { value: "own", label: "New image" },
];

export function EnvironmentField() {
  const composer = useComposer();
  const field = useField("environment");
  const [chosen, setChosen] = useState<Kind | null>(null);
  const filled = kindOf(field.value);
  const kind = shownKind(filled, chosen);
  const choose = (next: string) => {
    setChosen(next as Kind);
    field.set(keptOf(field.value, next as Kind));
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
      <EnvironmentProvider value={(path) => fieldOf(composer, `environment.${path}`)}>
        {kind === "none" && (
          <Text size="xs" c="dimmed">
            Nothing is installed. The program uses what is on the endpoint.
          </Text>
        )}
        {kind === "packages" && <Packages />}
        {kind === "image" && <BuiltImage />}
        {kind === "own" && <OwnImage />}
      </EnvironmentProvider>
    </Stack>
  );
}

/** The current value decides; a newly chosen kind has no value yet, or shows more fields. */
function shownKind(filled: Kind, chosen: Kind | null): Kind {
  if (chosen === null || filled === "image") return filled;
  if (filled === "none") return chosen;
  return filled === "packages" && chosen === "own" ? "own" : filled;
}

function Packages() {
  const field = useField("environment.requirements");
  const fromFile = async (file: File | null) => {
    if (file) field.set(readRequirements(await file.text()));
  };
  return (
    <Group align="flex-start" gap="md">
      <EnvironmentLines
        path="requirements"
        help="One per line, as in requirements.txt. Installed once, then reused."
        placeholder={"torch\nscikit-learn"}
        flex={1}
        miw={220}
      />
      <Stack gap="xs" w={190}>
        <EnvironmentText path="python" placeholder="system Python" help="For example 3.11." />
        <FileButton onChange={(file) => void fromFile(file)} accept=".txt,.in,text/plain">
          {(props) => (
            <Button
              {...props}
              size="xs"
              variant="default"
              leftSection={<IconFileText size={14} aria-hidden />}
            >
              Load requirements.txt
            </Button>
          )}
        </FileButton>
      </Stack>
    </Group>
  );
}

/** An existing image, by name. */
function BuiltImage() {
  const field = useField("environment");
  const named = typeof field.value === "string" ? field.value : "";
  return (
    <>
      <ImagePicker
        label="Image"
        fault={field.fault}
        value={named}
        onPick={(image) => field.set(image ? image.name || image.identity : undefined)}
        onBlur={field.touch}
      />
      <Text size="xs" c="dimmed">
        {named && `In YAML: environment: ${showValue(named)}. `}
        If the endpoint does not have the image, it is transferred first.{" "}
        <Anchor
          size="xs"
          underline="always"
          renderRoot={(props) => <Link to="/build" {...props} />}
        >
          Build a new image
        </Anchor>
      </Text>
    </>
  );
}

/** An environment defined in the job: built first, and shared by all jobs with the same one. */
function OwnImage() {
  return (
    <Stack gap="md" pt={4}>
      <Text size="xs" c="dimmed">
        Built before the job starts, and reused by every job with the same environment.
      </Text>
      <BaseField />
      <EnvironmentLines path="requirements" help="One per line." placeholder="torch" minRows={2} />
      <div className={classes.two}>
        <EnvironmentText path="python" placeholder="from the base" help="For example 3.12." />
        <EnvironmentLines path="system" help="One per line." placeholder="git" minRows={1} />
      </div>
      <CommandsField />
      <EnvironmentScript
        path="test"
        help="Run at the end of the build. If it fails, the build fails."
        placeholder="python -c 'import torch'"
        minRows={1}
      />
    </Stack>
  );
}
