import { Button, Group, PasswordInput, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { Section } from "~/components/Section";
import { showError, showSuccess } from "~/components/toasts";
import type { EditedSettings, SavedSettings } from "./NotificationsTab";

type FieldsProps<T> = { saved: SavedSettings; settings: T; onChange: (settings: T) => void };

export function EmailFields({ saved, settings, onChange }: FieldsProps<EditedSettings["email"]>) {
  return (
    <Section
      title="E-mail"
      about={
        saved.email_ready
          ? "One message per event."
          : "This service cannot send e-mail. Its administrator must set the mail server (DIAMOND_SMTP_HOST)."
      }
    >
      <TextInput
        label="Address"
        type="email"
        placeholder="you@example.org"
        value={settings.address}
        onChange={(event) => onChange({ ...settings, address: event.currentTarget.value })}
      />
      <TestMessage channel="email" disabled={!saved.email.address} saved={saved.email.address} />
    </Section>
  );
}

export function WebhookFields({
  saved,
  settings,
  onChange,
}: FieldsProps<EditedSettings["webhook"]>) {
  return (
    <Section
      title="Webhook"
      about="Sends a JSON message to a URL, for example of a chat room, a script or another service."
    >
      <TextInput
        label="Address"
        type="url"
        placeholder="https://example.org/hook"
        value={settings.url}
        onChange={(event) => onChange({ ...settings, url: event.currentTarget.value })}
      />
      <PasswordInput
        label="Signing secret"
        description={
          saved.has_secret
            ? "A secret is saved. Leave empty to keep it."
            : "Optional. Messages are signed with it so that the receiver can verify them."
        }
        autoComplete="new-password"
        value={settings.secret ?? ""}
        onChange={(event) => onChange({ ...settings, secret: event.currentTarget.value || null })}
      />
      <TestMessage channel="webhook" disabled={!saved.webhook.url} saved={saved.webhook.url} />
    </Section>
  );
}

type TestMessageProps = {
  channel: Schemas["Delivery"]["channel"];
  disabled: boolean;
  saved: string;
};

/** Sends a test message to the saved address, and shows the result. */
function TestMessage({ channel, disabled, saved }: TestMessageProps) {
  const send = useMutation({
    mutationFn: () => dataOf(api.POST("/api/v1/me/notifications/try", { body: { channel } })),
    onSuccess: (delivery) =>
      delivery.state === "sent"
        ? showSuccess(`Test message sent to ${saved}.`)
        : showError(new Error(delivery.error || "The test message could not be sent.")),
    onError: showError,
  });
  return (
    <Group gap="sm">
      <Button
        variant="default"
        size="xs"
        disabled={disabled}
        loading={send.isPending}
        onClick={() => send.mutate()}
      >
        Send test message
      </Button>
      <Text size="xs" c="dimmed">
        {disabled ? "Save an address first." : `Sends to ${saved}.`}
      </Text>
    </Group>
  );
}
