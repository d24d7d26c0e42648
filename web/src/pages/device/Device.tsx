import { Button, Code, Group, Paper, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { api, dataOf, type Schemas } from "~/api/client";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { showError } from "~/components/toasts";

/** `diamond login` opens this page to authorize a program. */
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
      <QueryResult query={query}>
        {(request) => <Request request={request} onDone={query.refetch} />}
      </QueryResult>
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

const OUTCOMES = {
  accepted: "Access granted. You can close this page. The token is listed under Settings, Tokens.",
  refused: "Access denied. You can close this page.",
};

function Request({ request, onDone }: { request: Schemas["DeviceShown"]; onDone: () => unknown }) {
  const decide = useMutation({
    mutationFn: (accept: boolean) =>
      dataOf(
        api.POST("/api/v1/sign-in/device/{code}", {
          params: { path: { code: request.user_code } },
          body: { accept },
        }),
      ),
    onSuccess: ({ redirect }) => {
      if (redirect) window.location.assign(redirect);
    },
    onSettled: () => void onDone(),
    onError: showError,
  });
  const state = decide.isSuccess ? (decide.variables ? "accepted" : "refused") : request.state;
  if (state !== "waiting") return <Text role="status">{OUTCOMES[state]}</Text>;
  return (
    <Paper withBorder p="lg" maw={560}>
      <Stack>
        <Text>
          <b>{request.name}</b>, from {request.address || "this machine"}, wants to:{" "}
          {request.scopes.join(", ")}.
        </Text>
        <Text>Allow this only if you started the program yourself and it shows the same code:</Text>
        <Text ff="monospace" size="xl" fw={700}>
          {request.user_code}
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
