import { Anchor, Badge, Card, Group, Table, Text } from "@mantine/core";
import { Link, useSearch } from "@tanstack/react-router";
import { TimeAgo } from "~/components/Time";
import type { User } from "~/people/api";
import { PersonAvatar } from "~/people/PersonAvatar";

export function UserTable({ users }: { users: User[] }) {
  return (
    <Card padding={0}>
      <Table.ScrollContainer minWidth={620} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table highlightOnHover horizontalSpacing="md" aria-label="Users">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Person</Table.Th>
              <Table.Th w={220}>Account</Table.Th>
              <Table.Th w={150}>Last seen</Table.Th>
              <Table.Th w={150}>Created</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {users.map((user) => (
              <UserRow key={user.id} user={user} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function UserRow({ user }: { user: User }) {
  const { search } = useSearch({ from: "/users" });
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <PersonAvatar name={user.name} />
          <div style={{ minWidth: 0 }}>
            <Anchor
              size="sm"
              fw={550}
              renderRoot={(props) => (
                <Link to="/users" search={{ search, user: user.id }} {...props} />
              )}
            >
              {user.name}
            </Anchor>
            <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {user.email}
            </Text>
          </div>
        </Group>
      </Table.Td>
      <Table.Td>
        <AccountBadges user={user} />
      </Table.Td>
      <Table.Td>{user.seen == null ? "never" : <TimeAgo at={user.seen} />}</Table.Td>
      <Table.Td>
        <TimeAgo at={user.created} />
      </Table.Td>
    </Table.Tr>
  );
}

export function AccountBadges({ user }: { user: User }) {
  return (
    <Group gap={6}>
      {user.is_admin && <Badge color="blue">administrator</Badge>}
      {user.disabled != null && <Badge color="red">disabled</Badge>}
      {!user.is_admin && user.disabled == null && (
        <Text size="sm" c="dimmed">
          active
        </Text>
      )}
    </Group>
  );
}
