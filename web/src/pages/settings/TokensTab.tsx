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
import { keys } from "~/api/queries";
import { Answer, Failed } from "~/components/Answer";
import { CopyLine } from "~/components/CopyLine";
import { Section } from "~/components/Section";
import { sayDone, sayFailed } from "~/components/say";
import { Ago } from "~/components/Time";
import { ScopeChoice } from "./ScopeChoice";

const KEY = keys.tokens;

/** Keys for programs that act for the person: made here, shown once, taken back here. */
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
      <Answer query={query}>{({ items }) => <TokenTable tokens={items} />}</Answer>
    </Section>
  );
}

type Scope = Schemas["Scope"];
const USUAL: Scope[] = ["read", "run", "manage"];

const LIVES = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "", label: "no expiry" },
];

function NewToken() {
  const [name, setName] = useState("");
  const [days, setDays] = useState("90");
  const [scopes, setScopes] = useState<Scope[]>(USUAL);
  const queries = useQueryClient();
  const make = useMutation({
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
    make.mutate();
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
            data={LIVES}
            value={days}
            onChange={(chosen) => setDays(chosen ?? "")}
            allowDeselect={false}
          />
          <Button type="submit" disabled={!name.trim() || !scopes.length} loading={make.isPending}>
            Create token
          </Button>
        </Group>
        <ScopeChoice scopes={scopes} onChange={setScopes} />
        {make.error && <Failed error={make.error} />}
        {make.data && <Shown token={make.data} />}
      </Stack>
    </form>
  );
}

function Shown({ token }: { token: Schemas["NewToken"] }) {
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
  const drop = useMutation({
    mutationFn: (token: string) =>
      dataOf(api.DELETE("/api/v1/tokens/{token}", { params: { path: { token } } })),
    onSuccess: () => {
      sayDone("Token revoked.");
      void queries.invalidateQueries({ queryKey: KEY });
    },
    onError: sayFailed,
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
                <Ago at={token.created} />
              </Table.Td>
              <Table.Td>{token.used == null ? "never" : <Ago at={token.used} />}</Table.Td>
              <Table.Td>{token.expires == null ? "never" : <Ago at={token.expires} />}</Table.Td>
              <Table.Td ta="right">
                <Tooltip label="Revoke: the token stops working immediately">
                  <ActionIcon
                    variant="subtle"
                    color="red"
                    aria-label={`Revoke token ${token.name}`}
                    onClick={() => drop.mutate(token.id)}
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
