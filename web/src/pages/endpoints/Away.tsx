import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconLinkOff, IconPlugConnected, IconUserCheck } from "@tabler/icons-react";
import type { Endpoint } from "~/api/client";
import { CopyLine } from "~/components/CopyLine";
import { Ago } from "~/components/Time";
import { ask, useDeed } from "./actions";
import { PairingCode } from "./adding/PairingCode";

/** Why an endpoint does not work for the person now, since when, and what to do. */
export function Away({ endpoint }: { endpoint: Endpoint }) {
  if (endpoint.state === "confirming") return <Confirm endpoint={endpoint} />;
  if (endpoint.state === "pairing") return <NotPaired endpoint={endpoint} />;
  const signIn = endpoint.state === "sign-in";
  return (
    <Alert
      color={signIn ? "orange" : "gray"}
      icon={signIn ? <IconPlugConnected /> : <IconLinkOff />}
      title={signIn ? "Needs you to sign in" : "Away"}
    >
      <Stack gap="xs">
        <Text size="sm">
          {endpoint.last_seen != null ? "It went away " : "Added "}
          <Ago at={endpoint.since} />. {endpoint.last_seen != null && "Its jobs go on. "}
          {signIn ? "To connect, type in your terminal:" : "To bring it back, type:"}
        </Text>
        <CopyLine line={endpoint.revive} />
      </Stack>
    </Alert>
  );
}

/** Its agent gets no new work until it is upgraded. */
export function Outdated({ endpoint }: { endpoint: Endpoint }) {
  if (!endpoint.outdated) return null;
  return (
    <Alert color="orange" icon={<IconLinkOff />} title="Upgrade its agent">
      <Text size="sm">{endpoint.outdated}</Text>
    </Alert>
  );
}

/** The owner says whether the machine that called is hers. */
export function Confirm({ endpoint }: { endpoint: Endpoint }) {
  const answer = useDeed({ by: (accept: boolean) => ask.confirm(endpoint.name, accept) });
  return (
    <Alert color="blue" icon={<IconUserCheck />} title="Is this you?">
      <Stack gap="sm">
        <Text size="sm">
          A machine called as <b>{endpoint.user}</b> on <b>{endpoint.host}</b>. If that is your
          account on your machine, let it in. If you do not know it, refuse it: it learns nothing.
        </Text>
        <Group gap="xs">
          <Button size="xs" loading={answer.isPending} onClick={() => answer.run(true)}>
            Yes, that is mine
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={answer.isPending}
            onClick={() => answer.run(false)}
          >
            No, refuse it
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function NotPaired({ endpoint }: { endpoint: Endpoint }) {
  return (
    <Alert color="blue" icon={<IconPlugConnected />} title="It has not called yet">
      <PairingCode name={endpoint.name} />
    </Alert>
  );
}
