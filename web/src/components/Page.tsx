import { Box, Group, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { HelpLink } from "./HelpLink";
import classes from "./Page.module.css";

type PageProps = {
  title: string;
  /** Title of the browser tab, where it differs from the heading. */
  tab?: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  wide?: boolean;
  /** The content fills the window and scrolls inside it. */
  fill?: boolean;
};

/** The frame of every page: heading, actions, content. */
export function Page({ title, tab, lead, actions, children, wide = false, fill }: PageProps) {
  useEffect(() => {
    document.title = `${tab ?? title} · Diamond`;
  }, [title, tab]);
  return (
    <Box maw={wide ? undefined : 1240} mx="auto" className={fill ? classes.fill : undefined}>
      <Group justify="space-between" align="flex-start" mb="md" gap="sm">
        <Box style={{ minWidth: 0 }}>
          <Group gap={6} wrap="nowrap">
            <Title order={1} style={{ overflowWrap: "anywhere" }}>
              {title}
            </Title>
            <HelpLink />
          </Group>
          {lead && (
            <Text c="dimmed" size="sm" mt={2} component="div">
              {lead}
            </Text>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Box>
  );
}
