import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { IconDownload, IconRefresh } from "@tabler/icons-react";
import type { Endpoint } from "~/api/client";
import { TimeAgo } from "~/components/Time";
import { endpointsApi, useEndpointAction } from "~/endpoints/api";
import { FACTS } from "~/endpoints/facts";
import { FactRow } from "./FactRow";

/** Everything known about the site, each fact with its source and age. */
export function ProfileTab({ endpoint }: { endpoint: Endpoint }) {
  const { profile } = endpoint;
  const known = FACTS.filter(({ name }) => profile.facts[name] || profile.corrections[name]);
  const missing = FACTS.filter((fact) => !known.includes(fact));
  return (
    <Card component="section">
      <Group justify="space-between" align="flex-start" gap="sm" mb="sm">
        <div>
          <Title order={2}>Site profile</Title>
          <Text size="sm" c="dimmed" maw={640}>
            What the agent reported about this machine
            {profile.probed_at != null && (
              <>
                {" "}
                <TimeAgo at={profile.probed_at} />
              </>
            )}
            . Correct anything that is wrong. Your corrections stay until you reset them, even when
            the machine is probed again.
          </Text>
        </div>
        <Buttons endpoint={endpoint} />
      </Group>
      <Stack gap={0}>
        {[...known, ...missing].map((fact) => (
          <FactRow key={fact.name} endpoint={endpoint} fact={fact} />
        ))}
      </Stack>
    </Card>
  );
}

function Buttons({ endpoint }: { endpoint: Endpoint }) {
  const probe = useEndpointAction({
    call: endpointsApi.probe,
    success: "Probing. The profile updates in a moment.",
  });
  return (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRefresh size={14} aria-hidden />}
        loading={probe.isPending}
        onClick={() => probe.run(endpoint.name, false)}
      >
        Probe again
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconDownload size={14} aria-hidden />}
        component="a"
        href={`/api/v1/endpoints/${encodeURIComponent(endpoint.name)}/profile`}
        download={`${endpoint.name}.profile.json`}
      >
        Export
      </Button>
    </Group>
  );
}
