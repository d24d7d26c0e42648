import {
  ActionIcon,
  Alert,
  Button,
  Group,
  Select,
  Stack,
  Table,
  Text,
  TextInput,
  Tooltip,
} from "@mantine/core";
import { IconKey, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { CopyLine } from "~/components/CopyLine";
import { ErrorAlert } from "~/components/ErrorAlert";
import { QueryResult } from "~/components/QueryResult";
import { Section } from "~/components/Section";
import { TimeAgo } from "~/components/Time";
import { showError, showSuccess } from "~/components/toasts";
import { ScopeChoice } from "./ScopeChoice";

const KEY = keys.tokens;

/** Keys for programs that act as the person: created, shown once, and revoked here. */
export function TokensTab() {
  const query = useQuery({ queryKey: KEY, queryFn: () => dataOf(api.GET("/api/v1/tokens")) });
  return (
    <Section
      title="Tokens"
      about={
        <>
          For scripts and the command line on other machines. Anyone who has a token can act as you.
          Set it as <code>DIAMOND_TOKEN</code>, together with <code>DIAMOND_URL</code>.
        </>
      }
    >
      <NewToken />
      <QueryResult query={query}>{({ items }) => <TokenTable tokens={items} />}</QueryResult>
    </Section>
  );
}

type Scope = Schemas["Scope"];
const DEFAULT_SCOPES: Scope[] = ["read", "run", "manage"];

const LIFETIMES = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "", label: "no expiry" },
];

function NewToken() {
  const [name, setName] = useState("");
  const [days, setDays] = useState("90");
  const [scopes, setScopes] = useState<Scope[]>(DEFAULT_SCOPES);
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/api/v1/tokens", {
          body: { name, days: days ? Number(days) : null, scopes },
        }),
      ),
    onSuccess: () => {
      setName("");
      void queries.invalidateQueries({ queryKey: KEY });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Name"
            placeholder="what it is for"
            flex={1}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Select
            label="Valid for"
            w={130}
            data={LIFETIMES}
            value={days}
            onChange={(chosen) => setDays(chosen ?? "")}
            allowDeselect={false}
          />
          <Button
            type="submit"
            disabled={!name.trim() || !scopes.length}
            loading={create.isPending}
          >
            Create token
          </Button>
        </Group>
        <ScopeChoice scopes={scopes} onChange={setScopes} />
        {create.error && <ErrorAlert error={create.error} />}
        {create.data && <CreatedToken token={create.data} />}
      </Stack>
    </form>
  );
}

function CreatedToken({ token }: { token: Schemas["NewToken"] }) {
  return (
    <Alert color="teal" icon={<IconKey />} title={`Token ${token.name} created`} role="status">
      <Stack gap="xs">
        <Text size="sm">Copy it now. It is not shown again.</Text>
        <CopyLine line={token.token} label="Copy token" />
      </Stack>
    </Alert>
  );
}

function TokenTable({ tokens }: { tokens: Schemas["Token"][] }) {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: (token: string) =>
      dataOf(api.DELETE("/api/v1/tokens/{token}", { params: { path: { token } } })),
    onSuccess: () => {
      showSuccess("Token revoked.");
      void queries.invalidateQueries({ queryKey: KEY });
    },
    onError: showError,
  });
  if (!tokens.length) return <Text size="sm">No tokens yet.</Text>;
  return (
    <Table.ScrollContainer minWidth={560} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Permissions</Table.Th>
            <Table.Th>Created</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Expires</Table.Th>
            <Table.Th>
              <Text span fz={0}>
                Revoke
              </Text>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tokens.map((token) => (
            <Table.Tr key={token.id}>
              <Table.Td>{token.name}</Table.Td>
              <Table.Td>{token.scopes.join(", ")}</Table.Td>
              <Table.Td>
                <TimeAgo at={token.created} />
              </Table.Td>
              <Table.Td>{token.used == null ? "never" : <TimeAgo at={token.used} />}</Table.Td>
              <Table.Td>
                {token.expires == null ? "never" : <TimeAgo at={token.expires} />}
              </Table.Td>
              <Table.Td ta="right">
                <Tooltip label="Revoke: the token stops working immediately">
                  <ActionIcon
                    variant="subtle"
                    color="red"
                    aria-label={`Revoke token ${token.name}`}
                    onClick={() => revoke.mutate(token.id)}
                  >
                    <IconTrash size={16} />
                  </ActionIcon>
                </Tooltip>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
