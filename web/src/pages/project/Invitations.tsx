import { ActionIcon, Card, Table, Title, Tooltip } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { keys } from "~/api/queryKeys";
import { TimeAgo } from "~/components/Time";
import { showError } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { invitationsQuery, type ProjectPage, projectsApi } from "~/projects/api";
import { openInvitations } from "./openInvitations";
import { roleLabel } from "./PeopleTab";

/** Unused invitation links for this project. */
export function Invitations({ project }: { project: ProjectPage }) {
  const { data } = useQuery(invitationsQuery);
  const open = openInvitations(data?.items ?? [], project.id, Date.now() / 1000);
  const revoke = useAction({
    call: (id: string) => projectsApi.revokeInvitation(id),
    refresh: [keys.invitations],
    success: "Invitation revoked",
    onError: showError,
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
            {open.map((invitation) => (
              <Table.Tr key={invitation.id}>
                <Table.Td>{invitation.email || "anyone with the link"}</Table.Td>
                <Table.Td>{roleLabel(invitation.role)}</Table.Td>
                <Table.Td>
                  <TimeAgo at={invitation.expires} />
                </Table.Td>
                <Table.Td ta="right">
                  <Tooltip label="Revoke: the link stops working immediately">
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      aria-label={`Revoke the invitation for ${invitation.email || "anyone with the link"}`}
                      onClick={() => revoke.run(invitation.id)}
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
