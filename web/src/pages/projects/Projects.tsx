import { Anchor, Badge, Button, Card, Stack, Table, Text, Title } from "@mantine/core";
import { IconPlus, IconUsersGroup } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { EmptyState } from "~/components/EmptyState";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { TimeAgo } from "~/components/Time";
import { type Project, projectsQuery, sharedWithMeQuery } from "~/projects/api";
import { NewProject } from "./NewProject";

/** The projects a person is in, and what others share with them. */
export function Projects() {
  const { dialog } = useSearch({ from: "/projects" });
  const navigate = useNavigate({ from: "/projects" });
  const query = useQuery(projectsQuery);
  return (
    <Page
      title="Projects"
      lead="Groups of people who share jobs and results, for example a lab or a course."
      actions={<NewButton />}
    >
      <Stack gap="xl">
        <QueryResult query={query}>
          {({ items }) => (items.length ? <ProjectTable projects={items} /> : <NoProjects />)}
        </QueryResult>
        <SharedWithMe />
      </Stack>
      {dialog === "new" && <NewProject onClose={() => void navigate({ search: {} })} />}
    </Page>
  );
}

function NewButton() {
  return (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      renderRoot={(props) => <Link to="/projects" search={{ dialog: "new" }} {...props} />}
    >
      New project
    </Button>
  );
}

function NoProjects() {
  return (
    <EmptyState icon={IconUsersGroup} title="No projects yet" action={<NewButton />}>
      Members of a project see each other's jobs, logs and results in it, and nothing else. Create a
      project and invite your group, or ask a project manager for an invitation.
    </EmptyState>
  );
}

function ProjectTable({ projects }: { projects: Project[] }) {
  return (
    <Card padding={0}>
      <Table.ScrollContainer minWidth={520} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table highlightOnHover horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Project</Table.Th>
              <Table.Th w={140}>Your role</Table.Th>
              <Table.Th w={160}>Created</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {projects.map((project) => (
              <ProjectRow key={project.id} project={project} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function ProjectRow({ project }: { project: Project }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor
          size="sm"
          fw={550}
          renderRoot={(props) => (
            <Link to="/projects/$project" params={{ project: project.id }} {...props} />
          )}
        >
          {project.name}
        </Anchor>{" "}
        {project.archived != null && (
          <Badge color="gray" size="sm">
            archived
          </Badge>
        )}
        {project.title && (
          <Text size="xs" c="dimmed">
            {project.title}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{project.role}</Table.Td>
      <Table.Td>
        <TimeAgo at={project.created} />
      </Table.Td>
    </Table.Tr>
  );
}

/** Jobs that others share individually, outside of any project. */
function SharedWithMe() {
  const { data } = useQuery(sharedWithMeQuery);
  if (!data?.items.length) return null;
  return (
    <section aria-label="Shared with you">
      <Title order={2} mb="xs">
        Shared with you
      </Title>
      <Card padding={0}>
        <Table highlightOnHover horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Job</Table.Th>
              <Table.Th w={220}>Owner</Table.Th>
              <Table.Th w={160}>Shared</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.items.map((share) => (
              <Table.Tr key={`${share.kind} ${share.thing}`}>
                <Table.Td>
                  <Anchor
                    size="sm"
                    fw={550}
                    renderRoot={(props) => (
                      <Link to="/tasks/$task" params={{ task: share.task }} {...props} />
                    )}
                  >
                    {share.name}
                  </Anchor>
                </Table.Td>
                <Table.Td>{share.by}</Table.Td>
                <Table.Td>
                  <TimeAgo at={share.created} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Card>
    </section>
  );
}
