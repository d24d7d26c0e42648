import { Badge, Button, Card, Group, Stack, Text } from "@mantine/core";
import { IconPlus, IconSpeakerphone } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Announcement, allAnnouncementsQuery, announcementsApi } from "~/announcements/api";
import { keys } from "~/api/queryKeys";
import { EmptyState } from "~/components/EmptyState";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { TimeAgo } from "~/components/Time";
import { showError } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { periodStatus } from "~/lib/datetime";
import { AnnouncementEditor } from "./AnnouncementEditor";

/** Messages from administrators, shown at the top of every page. */
export function Announcements() {
  const [edited, edit] = useState<Announcement | "new" | null>(null);
  const query = useQuery(allAnnouncementsQuery);
  return (
    <Page
      title="Announcements"
      lead="Messages shown to everyone at the top of every page, for example about maintenance or a new cluster."
      actions={<NewButton onClick={() => edit("new")} />}
    >
      <QueryResult query={query}>
        {({ items }) =>
          items.length ? (
            <Stack>
              {items.map((announcement) => (
                <AnnouncementCard
                  key={announcement.id}
                  announcement={announcement}
                  onEdit={() => edit(announcement)}
                />
              ))}
            </Stack>
          ) : (
            <EmptyState
              icon={IconSpeakerphone}
              title="No announcements yet"
              action={<NewButton onClick={() => edit("new")} />}
            >
              An announcement is shown to everyone with an account here, during the period you
              choose.
            </EmptyState>
          )
        }
      </QueryResult>
      {edited && (
        <AnnouncementEditor
          announcement={edited === "new" ? null : edited}
          onClose={() => edit(null)}
        />
      )}
    </Page>
  );
}

function NewButton({ onClick }: { onClick: () => void }) {
  return (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={onClick}>
      New announcement
    </Button>
  );
}

const COLORS = { now: "teal", scheduled: "blue", expired: "gray" };

function AnnouncementCard({
  announcement,
  onEdit,
}: {
  announcement: Announcement;
  onEdit: () => void;
}) {
  const phase = periodStatus(announcement, Date.now() / 1000);
  const remove = useAction({
    call: () => announcementsApi.remove(announcement.id),
    refresh: [keys.announcements],
    success: "Announcement deleted",
    onError: showError,
  });
  return (
    <Card component="article" aria-label={announcement.text.slice(0, 60)}>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Stack gap={6} style={{ minWidth: 0 }}>
          <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
            {announcement.text}
          </Text>
          <Group gap="xs">
            <Badge color={COLORS[phase]}>{phase === "now" ? "active" : phase}</Badge>
            {announcement.level === "warning" && <Badge color="orange">warning</Badge>}
            <Text size="xs" c="dimmed">
              by {announcement.by}, <TimeAgo at={announcement.created} />
              {announcement.ends != null && (
                <>
                  , {phase === "expired" ? "ended" : "ends"} <TimeAgo at={announcement.ends} />
                </>
              )}
            </Text>
          </Group>
        </Stack>
        <Group gap="xs" wrap="nowrap">
          <Button size="xs" variant="default" onClick={onEdit}>
            Edit
          </Button>
          <Button
            size="xs"
            variant="light"
            color="red"
            loading={remove.isPending}
            onClick={() => remove.run()}
          >
            Delete
          </Button>
        </Group>
      </Group>
    </Card>
  );
}
