import {
  ActionIcon,
  Button,
  Card,
  Group,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
  Tooltip,
} from "@mantine/core";
import { IconKey, IconTrash } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Endpoint } from "~/api/client";
import { ErrorAlert } from "~/components/ErrorAlert";
import { QueryResult } from "~/components/QueryResult";
import { endpointsApi, useEndpointAction } from "~/endpoints/api";

/** Shows names only: a value goes to the machine and is never read back. */
export function SecretsTab({ endpoint }: { endpoint: Endpoint }) {
  const { name } = endpoint;
  const key = ["secrets", name, endpoint.state];
  const query = useQuery({ queryKey: key, queryFn: () => endpointsApi.secrets(name) });
  const queries = useQueryClient();
  const refetch = () => void queries.invalidateQueries({ queryKey: ["secrets", name] });
  return (
    <Card component="section" maw={640}>
      <Stack gap="md">
        <div>
          <Title order={2}>Secrets</Title>
          <Text size="sm" c="dimmed">
            Stored only on {name} and readable only by you. A job that lists a secret under{" "}
            <code>secrets:</code> finds it as a file. Values are never shown again.
          </Text>
        </div>
        <QueryResult query={query}>
          {({ items }) => <SecretList name={name} secrets={items} onDone={refetch} />}
        </QueryResult>
        <NewSecret name={name} onDone={refetch} />
      </Stack>
    </Card>
  );
}

type ListProps = { name: string; secrets: string[]; onDone: () => void };

function SecretList({ name, secrets, onDone }: ListProps) {
  const remove = useEndpointAction({
    call: endpointsApi.removeSecret,
    success: "Secret deleted.",
    onSuccess: onDone,
  });
  if (!secrets.length) return <Text size="sm">No secrets yet.</Text>;
  return (
    <Stack gap={4} component="ul" p={0} m={0} style={{ listStyle: "none" }}>
      {secrets.map((secret) => (
        <Group key={secret} component="li" gap="xs">
          <IconKey size={16} stroke={1.6} aria-hidden />
          <Text size="sm" ff="monospace" flex={1}>
            {secret}
          </Text>
          <Tooltip label="Delete">
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={`Delete ${secret}`}
              loading={remove.isPending && remove.variables?.[1] === secret}
              onClick={() => remove.run(name, secret)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      ))}
    </Stack>
  );
}

function NewSecret({ name, onDone }: { name: string; onDone: () => void }) {
  const [secret, setSecret] = useState("");
  const [value, setValue] = useState("");
  const set = useEndpointAction({
    call: endpointsApi.setSecret,
    ownErrorDisplay: true,
    success: `${secret} saved on ${name}.`,
    onSuccess: () => {
      setSecret("");
      setValue("");
      onDone();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set.run(name, secret, value);
  };
  return (
    <form onSubmit={submit} autoComplete="off">
      <Stack gap="sm">
        <Group grow align="flex-start">
          <TextInput
            label="Name"
            placeholder="HF_TOKEN"
            value={secret}
            onChange={(event) => setSecret(event.currentTarget.value.trim())}
          />
          <PasswordInput
            label="Value"
            autoComplete="new-password"
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
          />
        </Group>
        {set.error && <ErrorAlert error={set.error} />}
        <Group>
          <Button type="submit" disabled={!secret || !value} loading={set.isPending}>
            Save secret
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
