import { Badge, Group, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ErrorAlert } from "~/components/ErrorAlert";
import { Page } from "~/components/Page";
import { SkeletonLines } from "~/components/SkeletonLines";
import { TabList } from "~/components/TabList";
import { type ProjectPage as Project, projectQuery } from "~/projects/api";
import { isManager } from "~/projects/permissions";
import { Assignments } from "./course/Assignments";
import { StudentsTab } from "./course/StudentsTab";
import { PeopleTab } from "./PeopleTab";
import { SettingsTab } from "./SettingsTab";
import type { ProjectTab } from "./search";
import { TasksTab } from "./TasksTab";
import { UsageTab } from "./UsageTab";

/** One project: tasks, people, usage and settings. */
export function ProjectPage() {
  const { project } = useParams({ from: "/projects/$project" });
  const query = useQuery(projectQuery(project));
  if (query.data) return <LoadedProject project={query.data} />;
  return (
    <Page title={query.error ? "Project" : "…"} tab="Project">
      {query.error ? (
        <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <SkeletonLines count={6} height={36} />
      )}
    </Page>
  );
}

function LoadedProject({ project }: { project: Project }) {
  const { tab = project.course ? "assignments" : "work" } = useSearch({
    from: "/projects/$project",
  });
  const navigate = useNavigate({ from: "/projects/$project" });
  const go = (next: string | null) => void navigate({ search: { tab: next as ProjectTab } });
  return (
    <Page
      title={project.title || project.name}
      tab={project.name}
      lead={<Lead project={project} />}
    >
      <Tabs value={tab} onChange={go} keepMounted={false}>
        <TabList value={tab} mb="md">
          {project.course && <Tabs.Tab value="assignments">Assignments</Tabs.Tab>}
          {project.course && isManager(project) && <Tabs.Tab value="everyone">Students</Tabs.Tab>}
          <Tabs.Tab value="work">Tasks</Tabs.Tab>
          <Tabs.Tab value="people">People</Tabs.Tab>
          <Tabs.Tab value="use">Usage and limits</Tabs.Tab>
          <Tabs.Tab value="about">Settings</Tabs.Tab>
        </TabList>
        <Tabs.Panel value="work">
          <TasksTab project={project} />
        </Tabs.Panel>
        <Tabs.Panel value="assignments">
          <Assignments project={project} />
        </Tabs.Panel>
        <Tabs.Panel value="everyone">
          <StudentsTab project={project} />
        </Tabs.Panel>
        <Tabs.Panel value="use">
          <UsageTab project={project} />
        </Tabs.Panel>
        <Tabs.Panel value="people">
          <PeopleTab project={project} />
        </Tabs.Panel>
        <Tabs.Panel value="about">
          <SettingsTab project={project} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Lead({ project }: { project: Project }) {
  const owner = project.members.find((member) => member.is_owner);
  return (
    <Group gap="sm" mt={4}>
      {project.title && (
        <Text size="sm" ff="monospace">
          {project.name}
        </Text>
      )}
      {owner && <Text size="sm">owned by {owner.name}</Text>}
      <Badge color="diamond">your role: {project.role}</Badge>
      {project.course && <Badge color="blue">course</Badge>}
      {project.endpoints && <Badge color="orange">restricted endpoints</Badge>}
      {project.archived != null && <Badge color="gray">archived</Badge>}
    </Group>
  );
}
