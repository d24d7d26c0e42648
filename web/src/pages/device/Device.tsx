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
    <Page title="A program asks to act for you">
      <Answer query={query}>{(asked) => <Asked asked={asked} onDone={query.refetch} />}</Answer>
    </Page>
  );
}

function NoCode() {
  return (
    <Page title="A program asks to act for you">
      <Text>
        Which one? Type <Code>diamond login</Code> in its terminal, and open the whole address that
        it shows: the code of the program is part of it.
      </Text>
    </Page>
  );
}

const ENDINGS = {
  accepted: "It was let in. You can close this page; its token is listed under Settings, Tokens.",
  refused: "It was not let in. You can close this page.",
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
        <Text>Agree only if you started it yourself, and it shows this very code:</Text>
        <Text ff="monospace" size="xl" fw={700}>
          {asked.user_code}
        </Text>
        <Group>
          <Button onClick={() => decide.mutate(true)} loading={decide.isPending}>
            Let it act for me
          </Button>
          <Button variant="default" onClick={() => decide.mutate(false)}>
            No
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
