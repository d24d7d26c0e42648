import { Alert, Anchor, Button, Card, Group, Kbd, List, Stack, Text, Tooltip } from "@mantine/core";
import { IconAlertTriangle, IconSend } from "@tabler/icons-react";
import { ProblemError } from "~/api/client";
import { CopyLine } from "~/components/CopyLine";
import { hintOf, SignInRemedy } from "~/components/ErrorAlert";
import { MessageText } from "~/components/MessageText";
import type { Composition, Fault } from "~/jobs/api";
import { faultText } from "~/jobs/faults";
import { count } from "~/lib/format";
import classes from "./Composer.module.css";
import { labelOf } from "./fieldLabels";
import { jumpToField } from "./jumpToField";
import { useComposer } from "./state/context";
import { BrokenYaml } from "./state/useSubmit";

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

type SubmitBarProps = {
  isSending: boolean;
  error: Error | null;
  /** All known faults, including those not yet shown at their fields. */
  faults: Fault[];
  onSubmit: () => void;
};

/** What is still wrong, what will happen, and the submit button. */
export function SubmitBar({ isSending, error, faults, onSubmit }: SubmitBarProps) {
  const { composition, draft, faults: shown } = useComposer();
  const known = draft.isChanged ? faults : [];
  return (
    <>
      <Stack gap="sm">
        {shown.length > 0 && <FaultList faults={shown} />}
        {composition?.log_path && <LogPath path={composition.log_path} />}
      </Stack>
      <div className={classes.bar}>
        {error && <RejectedAlert error={error} />}
        <Group justify="space-between" wrap="nowrap" gap="sm">
          <Text size="sm" c="dimmed" lineClamp={2} role="status">
            <MessageText text={submitNote(composition, shown, known)} />
          </Text>
          <Tooltip label={<Kbd size="xs">{isApple ? "⌘" : "Ctrl"} Enter</Kbd>}>
            <Button
              onClick={onSubmit}
              loading={isSending}
              leftSection={<IconSend size={16} aria-hidden />}
              style={{ flexShrink: 0 }}
            >
              {composition?.endpoint ? `Submit to ${composition.endpoint}` : "Submit"}
            </Button>
          </Tooltip>
        </Group>
      </div>
    </>
  );
}

/** Counts the same faults as the list above it; before anything is shown, what is still missing. */
function submitNote(composition: Composition | undefined, shown: Fault[], all: Fault[]): string {
  const [first, ...others] = shown.length ? shown : all;
  if (first && others.length === 0) return faultText(first);
  if (shown.length) return `${count(shown.length, "error")} to fix.`;
  if (first) return `${count(all.length, "field")} to complete.`;
  return composition?.cost?.text ?? "";
}

/** Why the submission failed; everything typed is kept. */
function RejectedAlert({ error }: { error: Error }) {
  if (error instanceof ProblemError && error.faults.length) return null;
  const faults = error instanceof BrokenYaml ? error.faults : [];
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle />}
      title={<MessageText text={error.message} />}
      role="alert"
      mb="sm"
    >
      <Text size="sm">
        {faults.map((fault) => `Line ${fault.line ?? "?"}: ${faultText(fault)}`).join(" ")}
        <MessageText text={hintOf(error)} /> Nothing was submitted, and your input is kept.
      </Text>
      <SignInRemedy error={error} />
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
              component="button"
              type="button"
              size="sm"
              onClick={() => jumpToField(fault.field)}
            >
              {labelOf(fault.field)}
            </Anchor>
            {": "}
            <MessageText text={faultText(fault)} />
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function LogPath({ path }: { path: string }) {
  return (
    <Card padding="sm">
      <Text size="xs" c="dimmed" mb={4}>
        Log file on the endpoint. You can also follow the log live on the task page.
      </Text>
      <CopyLine line={path} label="Copy the path" />
    </Card>
  );
}
