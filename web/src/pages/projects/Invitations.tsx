import { ActionIcon, Card, Table, Title, Tooltip } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { askProjects, invitationsQuery, type ProjectPage } from "~/api/projects";
import { keys } from "~/api/queries";
import { sayFailed } from "~/components/say";
import { Ago } from "~/components/Time";
import { useDeed } from "~/components/useDeed";
import { openInvitations } from "./open";
import { roleLabel } from "./People";

/** Links that the person has made for this project and nobody has used yet. */
export function Invitations({ project }: { project: ProjectPage }) {
  const { data } = useQuery(invitationsQuery);
  const open = openInvitations(data?.items ?? [], project.id, Date.now() / 1000);
  const withdraw = useDeed({
    by: (id: string) => askProjects.withdraw(id),
    renews: [keys.invitations],
    done: "Invitation revoked",
    onError: sayFailed,
  });
  if (!open.length) return null;
  return (
    <section aria-label="Open invitations">
      <Title order={2} mt="xl" mb="xs">
        Open invitations
      </Title>
      <Card padding={0}>
        <Table horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>For</Table.Th>
              <Table.Th>Role</Table.Th>
              <Table.Th>Expires</Table.Th>
              <Table.Th w={60} aria-label="Revoke" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {open.map((one) => (
              <Table.Tr key={one.id}>
                <Table.Td>{one.email || "anyone with the link"}</Table.Td>
                <Table.Td>{roleLabel(one.role)}</Table.Td>
                <Table.Td>
                  <Ago at={one.expires} />
                </Table.Td>
                <Table.Td ta="right">
                  <Tooltip label="Revoke: the link stops working immediately">
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      aria-label={`Revoke the invitation for ${one.email || "anyone with the link"}`}
                      onClick={() => withdraw.run(one.id)}
                    >
                      <IconTrash size={16} />
                    </ActionIcon>
                  </Tooltip>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Card>
    </section>
  );
}
