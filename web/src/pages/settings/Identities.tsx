import { ActionIcon, Button, Group, Stack, Text, Tooltip } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { QueryResult } from "~/components/QueryResult";
import { Section } from "~/components/Section";
import { TimeAgo } from "~/components/Time";
import { showError } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { signInQuery } from "~/people/signInQuery";
import { signInUrl } from "~/people/signInUrl";

type Identity = Schemas["IdentityShown"];

/** Provider accounts that sign in to this account. */
export function Identities() {
  const query = useQuery({
    queryKey: keys.identities,
    queryFn: () => dataOf(api.GET("/api/v1/me/identities")),
  });
  return (
    <Section
      title="Sign-in methods"
      about="Accounts you can sign in with. To add another, sign in with it now."
    >
      <QueryResult query={query}>{({ items }) => <IdentityList identities={items} />}</QueryResult>
      <AddAnother />
    </Section>
  );
}

function IdentityList({ identities }: { identities: Identity[] }) {
  const remove = useAction({
    call: ({ issuer, subject }: Identity) =>
      dataOf(api.DELETE("/api/v1/me/identities", { params: { query: { issuer, subject } } })),
    refresh: [keys.identities],
    success: "Sign-in method removed",
    onError: showError,
  });
  return (
    <Stack gap="xs" component="ul" p={0} m={0} aria-label="Sign-in methods">
      {identities.map((identity) => (
        <Group
          key={`${identity.issuer} ${identity.subject}`}
          component="li"
          justify="space-between"
          wrap="nowrap"
        >
          <div style={{ minWidth: 0, overflowWrap: "anywhere" }}>
            <Text size="sm" fw={550}>
              {identity.email || identity.name || identity.subject}
            </Text>
            <Text size="xs" c="dimmed">
              {identity.provider}, last used <TimeAgo at={identity.seen} />
            </Text>
          </div>
          {identities.length > 1 && (
            <Tooltip label="Remove">
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={`Remove ${identity.email || identity.subject} at ${identity.provider}`}
                onClick={() => remove.run(identity)}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
      ))}
    </Stack>
  );
}

function AddAnother() {
  const { data } = useQuery(signInQuery);
  return (
    <Group gap="xs">
      {(data?.items ?? []).map((provider) => (
        <Button
          key={provider.name}
          component="a"
          href={signInUrl(provider.url, window.location, "link")}
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
        >
          Add {provider.title}
        </Button>
      ))}
    </Group>
  );
}
