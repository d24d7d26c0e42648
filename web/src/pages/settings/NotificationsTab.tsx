import { Button, Group } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queries";
import { Answer, Failed } from "~/components/Answer";
import { Section } from "~/components/Section";
import { sayDone } from "~/components/say";
import { BrowserSection } from "./BrowserSection";
import { EmailFields, WebhookFields } from "./channels";
import { EventTable } from "./EventTable";

export type Kept = Schemas["NotificationSettingsShown"];
export type Wanted = Required<Schemas["NotificationSettings"]>;
const KEY = keys.notificationSettings;

/** Which events the person is told of, and by which ways. */
export function NotificationsTab() {
  const query = useQuery({
    queryKey: KEY,
    queryFn: () => dataOf(api.GET("/api/v1/me/notifications")),
  });
  return <Answer query={query}>{(kept) => <NotificationForm kept={kept} />}</Answer>;
}

/** Keeps only what was touched here: what another window saves meanwhile shows in the rest. */
function NotificationForm({ kept }: { kept: Kept }) {
  const [typed, setTyped] = useState<Partial<Wanted>>({});
  const wanted = { ...asWanted(kept), ...typed };
  const save = useSave(() => setTyped({}));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(wanted);
  };
  const change = (part: Partial<Wanted>) => setTyped((now) => ({ ...now, ...part }));
  return (
    <form onSubmit={submit}>
      <Section
        title="Notify me"
        about="Web notifications appear in the corner of the page and under the bell."
      >
        <EventTable kinds={kept.kinds} wanted={wanted} onChange={change} />
      </Section>
      <BrowserSection />
      <EmailFields kept={kept} wanted={wanted.email} onChange={(email) => change({ email })} />
      <WebhookFields
        kept={kept}
        wanted={wanted.webhook}
        onChange={(webhook) => change({ webhook })}
      />
      {save.error && <Failed error={save.error} />}
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
    mutationFn: (body: Wanted) => dataOf(api.PUT("/api/v1/me/notifications", { body })),
    onSuccess: (kept) => {
      queries.setQueryData(KEY, kept);
      onSaved();
      sayDone("Saved.");
    },
  });
}

function asWanted({ page, email, webhook }: Kept): Wanted {
  return { page, email, webhook: { ...webhook, secret: null } };
}
