import { Card, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

type FormCardProps = { title: string; help: string; children: ReactNode };

/** One part of a long form: a heading, what it is for, its fields. */
export function FormCard({ title, help, children }: FormCardProps) {
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
