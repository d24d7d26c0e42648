import {
  Alert,
  Anchor,
  Button,
  Checkbox,
  Group,
  List,
  Select,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { IconAlertTriangle, IconHammer, IconPackage } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { ProblemError } from "~/api/client";
import { hintOf } from "~/components/ErrorAlert";
import { FormCard } from "~/components/FormCard";
import { MessageText } from "~/components/MessageText";
import { ENVIRONMENT_LABELS } from "~/images/environment/labels";
import { faultText } from "~/jobs/faults";
import { count } from "~/lib/format";
import { type Fault, useBuilder, useTextField } from "../context";
import classes from "../ImageBuilder.module.css";
import { stepOf } from "../work";
import { Summary } from "./Summary";

const RUNTIMES = [
  { value: "", label: "Automatic" },
  { value: "apptainer", label: "Apptainer" },
  { value: "singularity", label: "Singularity" },
  { value: "charliecloud", label: "Charliecloud" },
  { value: "podman", label: "Podman" },
  { value: "docker", label: "Docker" },
  { value: "venv", label: "Virtual environment, no container" },
];

type ReviewProps = { isSending: boolean; error: Error | null; onBuild: () => void };

/** A summary, the name, and the build button. */
export function ReviewStep({ isSending, error, onBuild }: ReviewProps) {
  const { draft, faults, preview } = useBuilder();
  const name = useTextField("name");
  return (
    <FormCard title="Review" help="Check what will be built. Nothing runs until you click Build.">
      <Summary />
      <div className={classes.two}>
        <TextInput
          {...name}
          label="Name"
          placeholder="chosen automatically"
          description="Jobs refer to the image by this name. An older image with the same name stays available by its digest."
          inputWrapperOrder={["label", "input", "description", "error"]}
        />
        <Select
          label="Build tool"
          data={RUNTIMES}
          value={draft.work.runtime}
          onChange={(runtime) => draft.change((work) => ({ ...work, runtime: runtime ?? "" }))}
          description={preview && !draft.work.runtime ? runtimeLabel(preview.runtime) : undefined}
          inputWrapperOrder={["label", "input", "description", "error"]}
          allowDeselect={false}
        />
      </div>
      <Checkbox
        label="Check for newer versions"
        description="Resolves the base tag and the packages again. Otherwise the versions resolved earlier are used."
        checked={draft.work.upgrade}
        onChange={(event) => {
          const upgrade = event.currentTarget.checked;
          draft.change((work) => ({ ...work, upgrade }));
        }}
      />
      {error && <RejectedAlert error={error} />}
      {faults.length > 0 && <FaultList faults={faults} />}
      {preview?.image && <AlreadyBuilt image={preview.image} />}
      <Group>
        <Button
          size="md"
          onClick={onBuild}
          loading={isSending}
          leftSection={<IconHammer size={18} aria-hidden />}
        >
          Build image
        </Button>
      </Group>
    </FormCard>
  );
}

function runtimeLabel(runtime: string): string {
  const known = RUNTIMES.find((tool) => tool.value === runtime);
  return `On this endpoint: ${known?.label ?? runtime}`;
}

function RejectedAlert({ error }: { error: Error }) {
  if (error instanceof ProblemError && error.faults.length) return null;
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle />}
      title={<MessageText text={error.message} />}
      role="alert"
    >
      <Text size="sm">
        <MessageText text={hintOf(error)} /> Nothing was started, and your input is kept.
      </Text>
    </Alert>
  );
}

function FaultList({ faults }: { faults: Fault[] }) {
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle />}
      title={`${count(faults.length, "error")} to fix`}
      role="alert"
    >
      <List size="sm" spacing={2}>
        {faults.map((fault) => (
          <List.Item key={`${fault.field} ${fault.message}`}>
            <Anchor
              size="sm"
              underline="always"
              renderRoot={(props) => (
                <Link
                  from="/build"
                  to="/build"
                  search={(now) => ({ ...now, step: stepOf(fault.field) })}
                  {...props}
                />
              )}
            >
              {ENVIRONMENT_LABELS[fault.field.split(".")[0] ?? ""] ?? (fault.field || "General")}
            </Anchor>
            {": "}
            <MessageText text={faultText(fault)} />
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function AlreadyBuilt({ image }: { image: string }) {
  return (
    <Alert color="teal" icon={<IconPackage />} title="This image already exists">
      <Stack gap={4}>
        <Text size="sm">
          The same environment has already been built on this endpoint, so there is nothing to
          build.{" "}
          <Anchor
            size="sm"
            underline="always"
            renderRoot={(props) => <Link to="/images/$image" params={{ image }} {...props} />}
          >
            View image
          </Anchor>
        </Text>
      </Stack>
    </Alert>
  );
}
