import { Card, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

type StepProps = { title: string; help: string; children: ReactNode };

export function Step({ title, help, children }: StepProps) {
  const id = useId();
  return (
    <Card component="section" aria-labelledby={id} padding="lg">
      <Title order={2} id={id}>
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {help}
      </Text>
      <Stack gap="md">{children}</Stack>
    </Card>
  );
}
