import { Button, Group, PasswordInput, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { Section } from "~/components/Section";
import { sayDone, sayFailed } from "~/components/say";
import type { Kept, Wanted } from "./NotificationsTab";

type FieldsProps<T> = { kept: Kept; wanted: T; onChange: (wanted: T) => void };

export function EmailFields({ kept, wanted, onChange }: FieldsProps<Wanted["email"]>) {
  return (
    <Section
      title="By e-mail"
      about={
        kept.email_ready
          ? "One message for each event."
          : "This service cannot send mail yet: whoever runs it sets the mail server (DIAMOND_SMTP_HOST)."
      }
    >
      <TextInput
        label="Address"
        type="email"
        placeholder="you@example.org"
        value={wanted.address}
        onChange={(event) => onChange({ ...wanted, address: event.currentTarget.value })}
      />
      <Try channel="email" disabled={!kept.email.address} saved={kept.email.address} />
    </Section>
  );
}

export function WebhookFields({ kept, wanted, onChange }: FieldsProps<Wanted["webhook"]>) {
  return (
    <Section
      title="By webhook"
      about="A JSON message to an address of yours: a chat room, a script, another service."
    >
      <TextInput
        label="Address"
        type="url"
        placeholder="https://example.org/hook"
        value={wanted.url}
        onChange={(event) => onChange({ ...wanted, url: event.currentTarget.value })}
      />
      <PasswordInput
        label="Secret for the signature"
        description={
          kept.has_secret
            ? "One is kept. Leave this empty to keep it."
            : "Optional: each message is signed with it, so that the receiver knows it is from here."
        }
        autoComplete="new-password"
        value={wanted.secret ?? ""}
        onChange={(event) => onChange({ ...wanted, secret: event.currentTarget.value || null })}
      />
      <Try channel="webhook" disabled={!kept.webhook.url} saved={kept.webhook.url} />
    </Section>
  );
}

type TryProps = { channel: Schemas["Delivery"]["channel"]; disabled: boolean; saved: string };

/** A test message by what is saved, and how that went. */
function Try({ channel, disabled, saved }: TryProps) {
  const send = useMutation({
    mutationFn: () => dataOf(api.POST("/api/v1/me/notifications/try", { body: { channel } })),
    onSuccess: (delivery) =>
      delivery.state === "sent"
        ? sayDone(`A test message is on its way to ${saved}.`)
        : sayFailed(new Error(delivery.error || "The test message could not be sent.")),
    onError: sayFailed,
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
        Send a test
      </Button>
      <Text size="xs" c="dimmed">
        {disabled ? "Save an address first." : `Goes to ${saved}.`}
      </Text>
    </Group>
  );
}
