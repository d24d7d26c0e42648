import { Center, Loader, Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { QueryResult } from "~/components/QueryResult";
import { signInQuery } from "~/people/signInQuery";
import { OneTimeLink } from "./OneTimeLink";
import { Providers } from "./Providers";

export default function SignIn() {
  useEffect(() => {
    document.title = "Sign in · Diamond";
  }, []);
  const ways = useQuery(signInQuery);
  return (
    <Center mih="100dvh" p="md" component="main">
      <Stack w="100%" maw={440} gap="lg">
        <Paper withBorder p="xl">
          <Stack>
            <img src="/diamond.svg" width={44} height={44} alt="" />
            <div>
              <Title order={1}>Sign in to Diamond</Title>
              <Text size="sm" c="dimmed" mt={4}>
                Train any model with any data on any machine.
              </Text>
            </div>
            <QueryResult query={ways} loading={<Loader size="sm" aria-label="Loading" />}>
              {({ mode, items }) =>
                mode === "shared" ? <Providers items={items} /> : <OneTimeLink />
              }
            </QueryResult>
          </Stack>
        </Paper>
        <Text size="xs" c="dimmed" ta="center">
          From a terminal: <code>diamond login {window.location.origin}</code>
        </Text>
      </Stack>
    </Center>
  );
}
