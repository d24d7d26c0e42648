import { Button, Group, Modal, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { Failed } from "~/components/Answer";

type AskProps = {
  title: string;
  /** What the button that does it says. */
  deed: string;
  leave?: string;
  danger?: boolean;
  /** Nothing is to be filled in: Enter does it. */
  isJustAWord?: boolean;
  size?: "md" | "lg" | "xl";
  isPending: boolean;
  isReady?: boolean;
  error: Error | null;
  onDo: () => void;
  onClose: () => void;
  children: ReactNode;
};

/** A dialog with one question and one deed. A refusal is shown in the service's words. */
export function Ask({ leave = "Cancel", isReady = true, ...props }: AskProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    props.onDo();
  };
  return (
    <Modal opened onClose={props.onClose} title={props.title} size={props.size}>
      <form onSubmit={submit}>
        <Stack>
          {props.children}
          {props.error && <Failed error={props.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={props.onClose}>
              {leave}
            </Button>
            <Button
              type="submit"
              color={props.danger ? "red" : undefined}
              loading={props.isPending}
              disabled={!isReady}
              data-autofocus={props.isJustAWord || undefined}
            >
              {props.deed}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
