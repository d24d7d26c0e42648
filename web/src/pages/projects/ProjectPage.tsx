import { Badge, Group, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type ProjectPage as Project, projectQuery } from "~/api/projects";
import { Failed, Lines } from "~/components/Answer";
import { Page } from "~/components/Page";
import { TabList } from "~/components/TabList";
import { About } from "./About";
import { Assignments } from "./course/Assignments";
import { Everyone } from "./course/Everyone";
import { People } from "./People";
import { isManager } from "./rights";
import type { ProjectTab } from "./search";
import { UseTab } from "./UseTab";
import { Work } from "./Work";

/** One project: its work, its people, and what it is. */
export function ProjectPage() {
  const { project } = useParams({ from: "/projects/$project" });
  const query = useQuery(projectQuery(project));
  if (query.data) return <Shown project={query.data} />;
  return (
    <Page title={query.error ? "Project" : "…"} tab="Project">
      {query.error ? (
        <Failed error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Lines count={6} height={36} />
      )}
    </Page>
  );
}

function Shown({ project }: { project: Project }) {
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
          <Work project={project} />
        </Tabs.Panel>
        <Tabs.Panel value="assignments">
          <Assignments project={project} />
        </Tabs.Panel>
        <Tabs.Panel value="everyone">
          <Everyone project={project} />
        </Tabs.Panel>
        <Tabs.Panel value="use">
          <UseTab project={project} />
        </Tabs.Panel>
        <Tabs.Panel value="people">
          <People project={project} />
        </Tabs.Panel>
        <Tabs.Panel value="about">
          <About project={project} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Lead({ project }: { project: Project }) {
  const owner = project.members.find((one) => one.is_owner);
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
