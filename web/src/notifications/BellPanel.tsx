import {
  ActionIcon,
  Button,
  Group,
  ScrollArea,
  Text,
  Tooltip,
  VisuallyHidden,
} from "@mantine/core";
import {
  IconAlertCircle,
  IconBellOff,
  IconCircleCheck,
  IconCircleX,
  IconDatabaseExclamation,
  IconHelpCircle,
  IconHourglass,
  IconLogin2,
  IconSettings,
  IconUserCheck,
  IconUsers,
  type TablerIcon,
} from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, dataOf } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { MessageText } from "~/components/MessageText";
import { QueryResult } from "~/components/QueryResult";
import { TimeAgo } from "~/components/Time";
import { showError } from "~/components/toasts";
import classes from "./BellPanel.module.css";
import { NOTICE_COLORS, type Notice, noticeLink, notificationsQuery } from "./notices";

const ICONS: Record<Notice["kind"], TablerIcon> = {
  succeeded: IconCircleCheck,
  failed: IconAlertCircle,
  cancelled: IconCircleX,
  asking: IconHelpCircle,
  "sign-in": IconLogin2,
  confirm: IconUserCheck,
  quota: IconDatabaseExclamation,
  purge: IconHourglass,
  people: IconUsers,
};

export default function BellPanel({ onGo }: { onGo: () => void }) {
  const query = useQuery(notificationsQuery);
  const read = useMarkRead();
  return (
    <>
      <Group px={14} py={8} justify="space-between" wrap="nowrap">
        <Text fw={600}>Notifications</Text>
        <Group gap={4} wrap="nowrap">
          <Button
            size="compact-xs"
            variant="subtle"
            disabled={!query.data?.unread}
            onClick={() => read.mutate(null)}
          >
            Mark all as read
          </Button>
          <Tooltip label="Notification settings">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label="Notification settings"
              renderRoot={(props) => (
                <Link to="/settings" search={{ tab: "notifications" }} {...props} />
              )}
              onClick={onGo}
            >
              <IconSettings size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      <QueryResult query={query}>
        {({ items }) => (
          <ScrollArea.Autosize mah="min(70vh, 480px)" viewportProps={{ tabIndex: 0 }}>
            {items.length ? null : <NoNotifications />}
            {items.map((notice) => (
              <NoticeLine
                key={notice.id}
                notice={notice}
                onOpen={() => {
                  if (notice.read == null) read.mutate([notice.id]);
                  onGo();
                }}
              />
            ))}
          </ScrollArea.Autosize>
        )}
      </QueryResult>
    </>
  );
}

function useMarkRead() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (ids: string[] | null) =>
      dataOf(api.POST("/api/v1/notifications/read", { body: { ids } })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: keys.notifications }),
    onError: showError,
  });
}

function NoticeLine({ notice, onOpen }: { notice: Notice; onOpen: () => void }) {
  const Icon = ICONS[notice.kind];
  return (
    <Link {...noticeLink(notice)} className={classes.notice} onClick={onOpen}>
      <Icon
        size={18}
        className={classes.sign}
        color={`var(--mantine-color-${NOTICE_COLORS[notice.kind]}-light-color)`}
        aria-hidden
      />
      <div className={classes.words}>
        <Text size="sm" fw={notice.read == null ? 600 : 400}>
          {notice.title}
        </Text>
        {notice.text && (
          <Text size="xs" c="dimmed" lineClamp={3}>
            <MessageText text={notice.text} />
          </Text>
        )}
        <Text size="xs" c="dimmed" component="div">
          <TimeAgo at={notice.at} />
        </Text>
      </div>
      {notice.read == null && (
        <span className={classes.unread}>
          <VisuallyHidden>unread</VisuallyHidden>
        </span>
      )}
    </Link>
  );
}

function NoNotifications() {
  return (
    <Group px={14} py="lg" gap="sm" wrap="nowrap" align="flex-start">
      <IconBellOff size={20} stroke={1.5} aria-hidden />
      <Text size="sm" c="dimmed" flex={1}>
        No notifications yet. You are notified here when a task ends or something needs your
        attention.
      </Text>
    </Group>
  );
}
