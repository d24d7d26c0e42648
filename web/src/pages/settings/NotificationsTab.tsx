import { Button, Group } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { ErrorAlert } from "~/components/ErrorAlert";
import { QueryResult } from "~/components/QueryResult";
import { Section } from "~/components/Section";
import { showSuccess } from "~/components/toasts";
import { BrowserSection } from "./BrowserSection";
import { EmailFields, WebhookFields } from "./channels";
import { EventTable } from "./EventTable";

export type SavedSettings = Schemas["NotificationSettingsShown"];
export type EditedSettings = Required<Schemas["NotificationSettings"]>;
const KEY = keys.notificationSettings;

/** Which events to notify about, and how. */
export function NotificationsTab() {
  const query = useQuery({
    queryKey: KEY,
    queryFn: () => dataOf(api.GET("/api/v1/me/notifications")),
  });
  return <QueryResult query={query}>{(saved) => <NotificationForm saved={saved} />}</QueryResult>;
}

/** Keeps only edited fields; the rest follows what other windows save. */
function NotificationForm({ saved }: { saved: SavedSettings }) {
  const [typed, setTyped] = useState<Partial<EditedSettings>>({});
  const settings = { ...editable(saved), ...typed };
  const save = useSave(() => setTyped({}));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(settings);
  };
  const change = (part: Partial<EditedSettings>) => setTyped((now) => ({ ...now, ...part }));
  return (
    <form onSubmit={submit}>
      <Section
        title="Notify me"
        about="Notifications in Diamond appear in the corner of the page and under the bell."
      >
        <EventTable kinds={saved.kinds} settings={settings} onChange={change} />
      </Section>
      <BrowserSection />
      <EmailFields
        saved={saved}
        settings={settings.email}
        onChange={(email) => change({ email })}
      />
      <WebhookFields
        saved={saved}
        settings={settings.webhook}
        onChange={(webhook) => change({ webhook })}
      />
      {save.error && <ErrorAlert error={save.error} />}
      <Group mt="sm">
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
      </Group>
    </form>
  );
}

function useSave(onSaved: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: EditedSettings) => dataOf(api.PUT("/api/v1/me/notifications", { body })),
    onSuccess: (saved) => {
      queries.setQueryData(KEY, saved);
      onSaved();
      showSuccess("Saved.");
    },
  });
}

function editable({ page, email, webhook }: SavedSettings): EditedSettings {
  return { page, email, webhook: { ...webhook, secret: null } };
}
