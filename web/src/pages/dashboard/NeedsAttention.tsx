import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import {
  IconAlertCircle,
  IconClockPause,
  IconDatabaseExclamation,
  IconHelpCircle,
  IconHourglass,
  IconLinkOff,
  IconLogin2,
  IconUserCheck,
  type TablerIcon,
} from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { CopyLine } from "~/components/CopyLine";
import { MessageText } from "~/components/MessageText";
import { TimeAgo } from "~/components/Time";
import { showError } from "~/components/toasts";
import { FailureAdvice } from "~/tasks/FailureAdvice";
import classes from "./Dashboard.module.css";

type Need = Schemas["Need"];

const KINDS: Record<Need["kind"], { icon: TablerIcon; color: string }> = {
  failed: { icon: IconAlertCircle, color: "red" },
  held: { icon: IconClockPause, color: "orange" },
  asking: { icon: IconHelpCircle, color: "orange" },
  "sign-in": { icon: IconLogin2, color: "orange" },
  offline: { icon: IconLinkOff, color: "gray" },
  confirm: { icon: IconUserCheck, color: "blue" },
  quota: { icon: IconDatabaseExclamation, color: "orange" },
  purge: { icon: IconHourglass, color: "orange" },
};

const MAX_SHOWN = 4;

/** What needs attention, each with its next step. */
export function NeedsAttention({ needs, now }: { needs: Need[]; now: number }) {
  const [all, setAll] = useState(false);
  const shown = all ? needs : needs.slice(0, MAX_SHOWN);
  if (!needs.length) return null;
  return (
    <Card component="section" aria-label="Needs attention">
      <Group justify="space-between" mb={4}>
        <Title order={2}>Needs attention</Title>
        {needs.some((need) => need.kind === "failed") && <DismissFailures at={now} />}
      </Group>
      {shown.map((need) => (
        <NeedLine key={`${need.kind} ${need.task} ${need.endpoint}`} need={need} />
      ))}
      {shown.length < needs.length && (
        <Button size="compact-sm" variant="subtle" mt={4} onClick={() => setAll(true)}>
          Show all {needs.length}
        </Button>
      )}
    </Card>
  );
}

function DismissFailures({ at }: { at: number }) {
  const queries = useQueryClient();
  const dismiss = useMutation({
    mutationFn: () => dataOf(api.POST("/api/v1/overview/seen", { body: { at } })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: keys.overview }),
    onError: showError,
  });
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      loading={dismiss.isPending}
      onClick={() => dismiss.mutate()}
    >
      Dismiss failures
    </Button>
  );
}

function NeedLine({ need }: { need: Need }) {
  const { icon: Icon, color } = KINDS[need.kind];
  return (
    <div className={classes.need}>
      <Icon
        size={20}
        stroke={1.7}
        color={`var(--mantine-color-${color}-light-color)`}
        aria-hidden
      />
      <Stack gap={4} flex={1} miw={0}>
        <Text size="sm" fw={550} component="div">
          <NeedLink need={need} />{" "}
          <Text span size="xs" c="dimmed" fw={400}>
            <TimeAgo at={need.at} />
          </Text>
        </Text>
        {need.hint && (
          <Text size="sm">
            <MessageText text={need.hint} />
          </Text>
        )}
        {need.kind === "failed" && <FailureAdvice task={{ id: need.task }} />}
        {need.command && <CopyLine line={need.command} />}
      </Stack>
    </div>
  );
}

function NeedLink({ need }: { need: Need }) {
  const props = { className: classes.title };
  if (need.task)
    return (
      <Link to="/tasks/$task" params={{ task: need.task }} {...props}>
        {need.title}
      </Link>
    );
  if (!need.endpoint) return need.title;
  return (
    <Link to="/endpoints/$name" params={{ name: need.endpoint }} {...props}>
      {need.title}
    </Link>
  );
}
