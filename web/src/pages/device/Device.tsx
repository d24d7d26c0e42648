import { Button, Code, Group, Paper, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { api, dataOf, type Schemas } from "~/api/client";
import { Answer } from "~/components/Answer";
import { Page } from "~/components/Page";
import { sayFailed } from "~/components/say";

/** A program asks to act for the person: `diamond login` leads here. */
export function Device() {
  const { code = "" } = useSearch({ from: "/device" });
  const query = useQuery({
    queryKey: ["device", code],
    queryFn: () => dataOf(api.GET("/api/v1/sign-in/device/{code}", { params: { path: { code } } })),
    retry: false,
    enabled: code !== "",
  });
  if (!code) return <NoCode />;
  return (
    <Page title="Authorize a program">
      <Answer query={query}>{(asked) => <Asked asked={asked} onDone={query.refetch} />}</Answer>
    </Page>
  );
}

function NoCode() {
  return (
    <Page title="Authorize a program">
      <Text>
        Run <Code>diamond login</Code> in a terminal and open the full address it shows. The address
        contains the code.
      </Text>
    </Page>
  );
}

const ENDINGS = {
  accepted: "Access granted. You can close this page. The token is listed under Settings, Tokens.",
  refused: "Access denied. You can close this page.",
};

function Asked({ asked, onDone }: { asked: Schemas["DeviceShown"]; onDone: () => unknown }) {
  const decide = useMutation({
    mutationFn: (accept: boolean) =>
      dataOf(
        api.POST("/api/v1/sign-in/device/{code}", {
          params: { path: { code: asked.user_code } },
          body: { accept },
        }),
      ),
    onSuccess: ({ redirect }) => {
      if (redirect) window.location.assign(redirect);
    },
    onSettled: () => void onDone(),
    onError: sayFailed,
  });
  const state = decide.isSuccess ? (decide.variables ? "accepted" : "refused") : asked.state;
  if (state !== "waiting") return <Text role="status">{ENDINGS[state]}</Text>;
  return (
    <Paper withBorder p="lg" maw={560}>
      <Stack>
        <Text>
          <b>{asked.name}</b>, from {asked.address || "this machine"}, wants to:{" "}
          {asked.scopes.join(", ")}.
        </Text>
        <Text>Allow this only if you started the program yourself and it shows the same code:</Text>
        <Text ff="monospace" size="xl" fw={700}>
          {asked.user_code}
        </Text>
        <Group>
          <Button onClick={() => decide.mutate(true)} loading={decide.isPending}>
            Allow
          </Button>
          <Button variant="default" onClick={() => decide.mutate(false)}>
            Deny
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
