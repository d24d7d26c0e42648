import { Center, Paper, Stack, Text, Title } from "@mantine/core";
import { useEffect } from "react";
import { CopyLine } from "~/components/CopyLine";

/** The page of somebody whom the service does not know yet. */
export function SignIn() {
  useEffect(() => {
    document.title = "Sign in · Diamond";
  }, []);
  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="xl" maw={460} w="100%">
        <Stack>
          <img src="/diamond.svg" width={40} height={40} alt="" />
          <Title order={1}>Sign in to Diamond</Title>
          <Text size="sm">
            This Diamond belongs to one person. On the machine where it runs, type the line below:
            it opens these pages, signed in, by a link that works once.
          </Text>
          <CopyLine line="diamond open" />
          <Text size="sm" c="dimmed">
            Without a browser on that machine it prints the link; open it here within ten minutes.
          </Text>
        </Stack>
      </Paper>
    </Center>
  );
}
