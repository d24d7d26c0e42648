import { Badge, Button, Group, Table, Text, Tooltip } from "@mantine/core";
import type { Schemas } from "~/api/client";
import { TimeAgo } from "~/components/Time";
import { browserName } from "~/lib/browser";

type Session = Schemas["Session"];
type TableProps = { sessions: Session[]; onEnd?: (session: string) => void };

/** Browsers where a person is signed in. */
export function SessionTable({ sessions, onEnd }: TableProps) {
  if (!sessions.length) return <Text size="sm">Not signed in on any browser.</Text>;
  return (
    <Table.ScrollContainer minWidth={420} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label="Browsers">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Browser</Table.Th>
            <Table.Th>From</Table.Th>
            <Table.Th>Last seen</Table.Th>
            <Table.Th w={90} aria-label="Sign out" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} onEnd={onEnd} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function SessionRow({ session, onEnd }: { session: Session; onEnd?: TableProps["onEnd"] }) {
  const name = browserName(session.browser);
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap={6}>
          <Tooltip label={session.browser} disabled={!session.browser} multiline maw={420}>
            <span>{name}</span>
          </Tooltip>
          {session.is_this && <Badge size="sm">this browser</Badge>}
          {session.mfa && (
            <Badge size="sm" color="teal">
              two-factor
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed">
          {session.provider ? `with ${session.provider}, ` : ""}signed in{" "}
          <TimeAgo at={session.created} />
        </Text>
      </Table.Td>
      <Table.Td>{session.address || "this machine"}</Table.Td>
      <Table.Td style={{ whiteSpace: "nowrap" }}>
        <TimeAgo at={session.seen} />
      </Table.Td>
      <Table.Td ta="right">
        {!session.is_this && onEnd && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Sign out ${name} from ${session.address || "this machine"}`}
            onClick={() => onEnd(session.id)}
          >
            Sign out
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
