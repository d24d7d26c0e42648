import { Button, Group, Modal, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { ErrorAlert } from "./ErrorAlert";

type FormDialogProps = {
  title: string;
  /** Label of the button that submits. */
  submitLabel: string;
  cancelLabel?: string;
  danger?: boolean;
  /** No input needed: Enter submits. */
  focusSubmit?: boolean;
  size?: "md" | "lg" | "xl";
  isPending: boolean;
  isReady?: boolean;
  error: Error | null;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
};

/** A dialog with a form and one action. Errors are shown inside it. */
export function FormDialog({ cancelLabel = "Cancel", isReady = true, ...props }: FormDialogProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    props.onSubmit();
  };
  return (
    <Modal opened onClose={props.onClose} title={props.title} size={props.size}>
      <form onSubmit={submit}>
        <Stack>
          {props.children}
          {props.error && <ErrorAlert error={props.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={props.onClose}>
              {cancelLabel}
            </Button>
            <Button
              type="submit"
              color={props.danger ? "red" : undefined}
              loading={props.isPending}
              disabled={!isReady}
              data-autofocus={props.focusSubmit || undefined}
            >
              {props.submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
