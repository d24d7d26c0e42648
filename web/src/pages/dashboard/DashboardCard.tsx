import { Card, Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

type DashboardCardProps = { title: string; more?: ReactNode; children: ReactNode };

/** A card of the dashboard, with a link to the full list. */
export function DashboardCard({ title, more, children }: DashboardCardProps) {
  return (
    <Card component="section" aria-label={title}>
      <Group justify="space-between" mb={4}>
        <Title order={2}>{title}</Title>
        {more && (
          <Text size="sm" component="div">
            {more}
          </Text>
        )}
      </Group>
      {children}
    </Card>
  );
}
