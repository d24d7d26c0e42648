import { ActionIcon, Group, Stack, Text, Tooltip } from "@mantine/core";
import { IconUser, IconUsersGroup, IconX } from "@tabler/icons-react";
import type { Share } from "~/api/shares";
import { Ago } from "~/components/Time";

type HoldersProps = { shares: Share[]; onStop: (share: Share) => void };

/** People and projects who see it now. */
export function Holders({ shares, onStop }: HoldersProps) {
  const named = shares.filter((one) => one.with_kind !== "everyone");
  if (!shares.length) {
    return (
      <Text size="sm" c="dimmed">
        Not shared with anyone yet.
      </Text>
    );
  }
  return (
    <Stack gap={4} component="ul" p={0} m={0} aria-label="Shared with">
      {named.map((one) => (
        <Line key={`${one.with_kind} ${one.with_id}`} share={one} onStop={() => onStop(one)} />
      ))}
    </Stack>
  );
}

function Line({ share, onStop }: { share: Share; onStop: () => void }) {
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
          since <Ago at={share.created} />
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
