import { Alert, Button, Group, Loader, Stack, Text } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Endpoint } from "~/api/client";
import { factOf, hostText, schedulerText } from "~/endpoints/facts";
import { ConfirmEndpoint } from "~/endpoints/OfflineAlert";
import { endpointsQuery } from "~/endpoints/queries";
import { count } from "~/lib/format";

type ConnectionProgressProps = { name: string; onClose: () => void; children: ReactNode };

/** From waiting to connected, as the service sees it. */
export function ConnectionProgress({ name, onClose, children }: ConnectionProgressProps) {
  const { data } = useQuery(endpointsQuery);
  const endpoint = data?.items.find((candidate) => candidate.name === name);
  return (
    <div role="status" aria-live="polite">
      {endpoint?.state === "online" ? (
        <Connected endpoint={endpoint} onClose={onClose} />
      ) : endpoint?.state === "confirming" ? (
        <ConfirmEndpoint endpoint={endpoint} />
      ) : (
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <Loader size="xs" mt={4} aria-hidden />
          <div>
            <Text size="sm" fw={550}>
              {progressText(name, endpoint)}
            </Text>
            <Text size="sm" c="dimmed">
              {children}
            </Text>
          </div>
        </Group>
      )}
    </div>
  );
}

function progressText(name: string, endpoint: Endpoint | undefined): string {
  if (!endpoint || endpoint.state === "pairing") return `Waiting for ${name}…`;
  return `${name} is registered; waiting for it to connect…`;
}

function Connected({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const partitions = factOf(endpoint.profile, "partitions")?.length ?? 0;
  const facts = [
    hostText(endpoint),
    schedulerText(endpoint.profile),
    partitions > 0 && count(partitions, "partition"),
  ];
  return (
    <Alert color="teal" icon={<IconCircleCheck />} title={`${endpoint.name} is connected`}>
      <Stack gap="sm">
        <Text size="sm">{facts.filter(Boolean).join(", ")}.</Text>
        <Group gap="xs">
          <Button
            size="xs"
            renderRoot={(props) => (
              <Link to="/endpoints/$name" params={{ name: endpoint.name }} {...props} />
            )}
          >
            View endpoint
          </Button>
          <Button size="xs" variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
