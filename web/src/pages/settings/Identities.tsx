import { ActionIcon, Button, Group, Stack, Text, Tooltip } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queries";
import { Answer } from "~/components/Answer";
import { Section } from "~/components/Section";
import { sayFailed } from "~/components/say";
import { Ago } from "~/components/Time";
import { useDeed } from "~/components/useDeed";
import { wayTo } from "../sign-in/way";
import { waysQuery } from "../sign-in/ways";

type Identity = Schemas["IdentityShown"];

/** Accounts at providers that lead to this one account here. */
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
      <Answer query={query}>{({ items }) => <Known identities={items} />}</Answer>
      <AddAnother />
    </Section>
  );
}

function Known({ identities }: { identities: Identity[] }) {
  const drop = useDeed({
    by: ({ issuer, subject }: Identity) =>
      dataOf(api.DELETE("/api/v1/me/identities", { params: { query: { issuer, subject } } })),
    renews: [keys.identities],
    done: "Sign-in method removed",
    onError: sayFailed,
  });
  return (
    <Stack gap="xs" component="ul" p={0} m={0} aria-label="Sign-in methods">
      {identities.map((one) => (
        <Group
          key={`${one.issuer} ${one.subject}`}
          component="li"
          justify="space-between"
          wrap="nowrap"
        >
          <div style={{ minWidth: 0, overflowWrap: "anywhere" }}>
            <Text size="sm" fw={550}>
              {one.email || one.name || one.subject}
            </Text>
            <Text size="xs" c="dimmed">
              {one.provider}, last used <Ago at={one.seen} />
            </Text>
          </div>
          {identities.length > 1 && (
            <Tooltip label="Remove">
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={`Remove ${one.email || one.subject} at ${one.provider}`}
                onClick={() => drop.run(one)}
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
  const { data } = useQuery(waysQuery);
  return (
    <Group gap="xs">
      {(data?.items ?? []).map((one) => (
        <Button
          key={one.name}
          component="a"
          href={wayTo(one.url, window.location, "link")}
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
        >
          Add {one.title}
        </Button>
      ))}
    </Group>
  );
}
