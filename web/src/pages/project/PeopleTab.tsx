import { Badge, Button, Card, Group, Select, Table, Text } from "@mantine/core";
import { IconUserPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { keys } from "~/api/queryKeys";
import { showError } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { meQuery } from "~/people/me";
import { PersonAvatar } from "~/people/PersonAvatar";
import {
  type Member,
  type ProjectPage,
  type ProjectRole,
  projectsApi,
  ROLES,
} from "~/projects/api";
import { isManager } from "~/projects/permissions";
import { AddPeople } from "./AddPeople";
import { Invitations } from "./Invitations";
import { MemberMenu } from "./MemberMenu";

/** Members and their roles; managers can change them. */
export function PeopleTab({ project }: { project: ProjectPage }) {
  const { dialog } = useSearch({ from: "/projects/$project" });
  const navigate = useNavigate({ from: "/projects/$project" });
  return (
    <>
      {isManager(project) && (
        <Group mb="md">
          <AddButton project={project} />
        </Group>
      )}
      <MemberTable project={project} />
      {isManager(project) && <Invitations project={project} />}
      {dialog === "add" && (
        <AddPeople project={project} onClose={() => void navigate({ search: { tab: "people" } })} />
      )}
    </>
  );
}

function AddButton({ project }: { project: ProjectPage }) {
  return (
    <Button
      leftSection={<IconUserPlus size={16} aria-hidden />}
      renderRoot={(props) => (
        <Link
          to="/projects/$project"
          params={{ project: project.id }}
          search={{ tab: "people", dialog: "add" }}
          {...props}
        />
      )}
    >
      Add people
    </Button>
  );
}

function MemberTable({ project }: { project: ProjectPage }) {
  const { data: me } = useQuery(meQuery);
  return (
    <Card padding={0}>
      <Table.ScrollContainer minWidth={560} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table horizontalSpacing="md" aria-label="Members">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Person</Table.Th>
              <Table.Th w={300}>Role</Table.Th>
              <Table.Th w={60} aria-label="Actions" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {project.members.map((member) => (
              <MemberRow
                key={member.id}
                project={project}
                member={member}
                isMe={member.id === me?.id}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

type MemberProps = { project: ProjectPage; member: Member; isMe: boolean };

function MemberRow({ project, member, isMe }: MemberProps) {
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <PersonAvatar name={member.name} />
          <div style={{ minWidth: 0 }}>
            <Group gap={6}>
              <Text size="sm" fw={550}>
                {member.name}
              </Text>
              {isMe && (
                <Badge size="xs" color="gray">
                  you
                </Badge>
              )}
            </Group>
            <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {member.email}
            </Text>
          </div>
        </Group>
      </Table.Td>
      <Table.Td>
        <RoleCell project={project} member={member} />
      </Table.Td>
      <Table.Td ta="right">
        <MemberMenu project={project} member={member} isMe={isMe} />
      </Table.Td>
    </Table.Tr>
  );
}

function RoleCell({ project, member }: Omit<MemberProps, "isMe">) {
  const change = useAction({
    call: (role: ProjectRole) => projectsApi.setMember(project.id, member.id, role),
    refresh: [keys.projects],
    success: `Role of ${member.name} changed`,
    onError: showError,
  });
  if (member.is_owner) return <Text size="sm">Owner</Text>;
  if (!isManager(project)) return <Text size="sm">{roleLabel(member.role)}</Text>;
  return (
    <Select
      aria-label={`Role of ${member.name}`}
      size="xs"
      maw={180}
      data={ROLES}
      value={member.role}
      onChange={(role) => role && change.run(role)}
      allowDeselect={false}
      disabled={change.isPending}
      comboboxProps={{ width: 300, position: "bottom-start" }}
      renderOption={({ option }) => <RoleOption role={option.value} />}
    />
  );
}

export function RoleOption({ role }: { role: string }) {
  const known = ROLES.find((option) => option.value === role);
  return (
    <div>
      <Text size="sm">{known?.label}</Text>
      <Text size="xs" c="dimmed">
        {known?.about}
      </Text>
    </div>
  );
}

export function roleLabel(role: string): string {
  return ROLES.find((option) => option.value === role)?.label ?? role;
}
