import { Button, Card, Group, SimpleGrid, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { EndpointBadge } from "~/endpoints/EndpointBadge";
import { meQuery } from "~/people/me";

/** Machines that colleagues use, where you can connect your own agent. */
export function SharedProfiles() {
  const { data: me } = useQuery(meQuery);
  const { data } = useQuery({
    queryKey: [...keys.shared, "profiles"],
    queryFn: () => dataOf(api.GET("/api/v1/profiles")),
    enabled: me?.mode === "shared",
  });
  if (!data?.items.length) return null;
  return (
    <section aria-label="Shared by others">
      <Title order={2} mt="xl">
        Shared by others
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Machines your colleagues already use. To run jobs there you need your own account.
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {data.items.map((shared) => (
          <ProfileCard key={shared.id} shared={shared} />
        ))}
      </SimpleGrid>
    </section>
  );
}

function ProfileCard({ shared }: { shared: Schemas["SharedProfile"] }) {
  return (
    <Card component="article" aria-label={shared.name}>
      <Group justify="space-between" wrap="nowrap" mb={4}>
        <Text fw={600} truncate>
          {shared.name}
        </Text>
        <EndpointBadge endpoint={shared} />
      </Group>
      <Text size="sm" c="dimmed" mb="sm" style={{ overflowWrap: "anywhere" }}>
        {[shared.cluster || shared.host, `by ${shared.owner_name}`].filter(Boolean).join(", ")}
      </Text>
      <Group>
        <Button
          size="xs"
          variant="light"
          renderRoot={(props) => (
            <Link to="/endpoints" search={{ add: "pairing", profile: shared.id }} {...props} />
          )}
        >
          Connect my agent
        </Button>
      </Group>
    </Card>
  );
}
