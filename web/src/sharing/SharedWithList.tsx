import { ActionIcon, Group, Stack, Text, Tooltip } from "@mantine/core";
import { IconUser, IconUsersGroup, IconX } from "@tabler/icons-react";
import { TimeAgo } from "~/components/Time";
import type { Share } from "./api";

type SharedWithListProps = { shares: Share[]; onStop: (share: Share) => void };

/** People and projects that can see the item. */
export function SharedWithList({ shares, onStop }: SharedWithListProps) {
  const named = shares.filter((share) => share.with_kind !== "everyone");
  if (!shares.length) {
    return (
      <Text size="sm" c="dimmed">
        Not shared with anyone yet.
      </Text>
    );
  }
  return (
    <Stack gap={4} component="ul" p={0} m={0} aria-label="Shared with">
      {named.map((share) => (
        <ShareRow
          key={`${share.with_kind} ${share.with_id}`}
          share={share}
          onStop={() => onStop(share)}
        />
      ))}
    </Stack>
  );
}

function ShareRow({ share, onStop }: { share: Share; onStop: () => void }) {
  const Icon = share.with_kind === "project" ? IconUsersGroup : IconUser;
  const name = share.name || share.with_id;
  return (
    <Group component="li" gap="xs" wrap="nowrap" justify="space-between">
      <Group gap="xs" wrap="nowrap" style={{ minWidth: 0 }}>
        <Icon size={16} stroke={1.6} aria-hidden />
        <Text size="sm" truncate>
          {name}
        </Text>
        <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
          since <TimeAgo at={share.created} />
        </Text>
      </Group>
      <Tooltip label="Stop sharing">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Stop sharing with ${name}`}
          onClick={onStop}
        >
          <IconX size={16} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
