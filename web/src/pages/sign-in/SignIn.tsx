import { Center, Paper, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, dataOf } from "~/api/client";
import { ByLink } from "./ByLink";
import { Providers } from "./Providers";

/** The page of somebody whom the service does not know yet. */
export function SignIn() {
  useEffect(() => {
    document.title = "Sign in · Diamond";
  }, []);
  const ways = useQuery({
    queryKey: ["sign-in"],
    queryFn: () => dataOf(api.GET("/api/v1/sign-in")),
  });
  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="xl" maw={460} w="100%">
        <Stack>
          <img src="/diamond.svg" width={40} height={40} alt="" />
          <Title order={1}>Sign in to Diamond</Title>
          {ways.data?.mode === "shared" ? <Providers items={ways.data.items} /> : <ByLink />}
        </Stack>
      </Paper>
    </Center>
  );
}
