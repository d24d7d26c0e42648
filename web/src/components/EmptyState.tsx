import { Card, Group, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import type { TablerIcon } from "@tabler/icons-react";
import type { ReactNode } from "react";

type EmptyStateProps = {
  icon: TablerIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
};

/** Nothing here yet: says what would be here, and the next step. */
export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <Card py={48}>
      <Stack align="center" gap="sm">
        <ThemeIcon size={48} radius="xl" variant="light" color="gray">
          <Icon size={26} stroke={1.5} aria-hidden />
        </ThemeIcon>
        <Title order={2} ta="center">
          {title}
        </Title>
        {children && (
          <Text c="dimmed" ta="center" maw={460} size="sm" component="div">
            {children}
          </Text>
        )}
        {action && <Group mt="xs">{action}</Group>}
      </Stack>
    </Card>
  );
}
