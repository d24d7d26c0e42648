import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconLinkOff, IconPlugConnected, IconUserCheck } from "@tabler/icons-react";
import type { Endpoint } from "~/api/client";
import { CopyLine } from "~/components/CopyLine";
import { TimeAgo } from "~/components/Time";
import { endpointsApi, useEndpointAction } from "./api";
import { PairingCode } from "./PairingCode";

/** Why an endpoint is not available, since when, and what to do. */
export function OfflineAlert({ endpoint }: { endpoint: Endpoint }) {
  if (endpoint.state === "confirming") return <ConfirmEndpoint endpoint={endpoint} />;
  if (endpoint.state === "pairing") return <NotPaired endpoint={endpoint} />;
  const signIn = endpoint.state === "sign-in";
  return (
    <Alert
      color={signIn ? "orange" : "gray"}
      icon={signIn ? <IconPlugConnected /> : <IconLinkOff />}
      title={signIn ? "Sign-in needed" : "Offline"}
    >
      <Stack gap="xs">
        <Text size="sm">
          {endpoint.last_seen != null ? "Went offline " : "Added "}
          <TimeAgo at={endpoint.since} />. {endpoint.last_seen != null && "Running jobs continue. "}
          {signIn ? "To connect, run in your terminal:" : "To bring it back online, run:"}
        </Text>
        <CopyLine line={endpoint.revive} />
      </Stack>
    </Alert>
  );
}

/** An agent that gets no new work until it is upgraded. */
export function OutdatedAlert({ endpoint }: { endpoint: Endpoint }) {
  if (!endpoint.outdated) return null;
  return (
    <Alert color="orange" icon={<IconLinkOff />} title="Upgrade the agent">
      <Text size="sm">{endpoint.outdated}</Text>
    </Alert>
  );
}

/** The owner confirms that a newly connected machine is theirs. */
export function ConfirmEndpoint({ endpoint }: { endpoint: Endpoint }) {
  const confirm = useEndpointAction({
    call: (accept: boolean) => endpointsApi.confirm(endpoint.name, accept),
  });
  return (
    <Alert color="blue" icon={<IconUserCheck />} title="Confirm this machine">
      <Stack gap="sm">
        <Text size="sm">
          An agent connected as <b>{endpoint.user}</b> on <b>{endpoint.host}</b>. Confirm if this is
          your account. If you do not recognize it, reject it: it gets no access.
        </Text>
        <Group gap="xs">
          <Button size="xs" loading={confirm.isPending} onClick={() => confirm.run(true)}>
            Confirm
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={confirm.isPending}
            onClick={() => confirm.run(false)}
          >
            Reject
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function NotPaired({ endpoint }: { endpoint: Endpoint }) {
  return (
    <Alert color="blue" icon={<IconPlugConnected />} title="Waiting for the agent">
      <PairingCode name={endpoint.name} />
    </Alert>
  );
}
