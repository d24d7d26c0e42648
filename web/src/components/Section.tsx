import { Card, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

type SectionProps = { title: string; about?: ReactNode; children: ReactNode };

/** A section of settings: what it is, then its fields. */
export function Section({ title, about, children }: SectionProps) {
  return (
    <Card component="section" maw={720} mb="md" aria-label={title}>
      <Stack gap="md">
        <div>
          <Title order={2}>{title}</Title>
          {about && (
            <Text size="sm" c="dimmed">
              {about}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </Card>
  );
}
