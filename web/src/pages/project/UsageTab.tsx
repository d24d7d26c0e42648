import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { QueryResult } from "~/components/QueryResult";
import { Section } from "~/components/Section";
import { limitsApi, myUsageQuery, projectLimitsQuery, projectUsageQuery } from "~/limits/api";
import { LimitsForm } from "~/limits/LimitsForm";
import { UsageBars } from "~/limits/UsageBars";
import { UsageTable } from "~/limits/UsageTable";
import { meQuery } from "~/people/me";
import type { ProjectPage } from "~/projects/api";
import { isManager } from "~/projects/permissions";

/** Usage and limits: of everyone for managers, otherwise one's own. */
export function UsageTab({ project }: { project: ProjectPage }) {
  return isManager(project) ? <ProjectUsage project={project} /> : <OwnUsage project={project} />;
}

function OwnUsage({ project }: { project: ProjectPage }) {
  const query = useQuery(myUsageQuery);
  return (
    <Section title="Your usage" about="Compared with the limits for each member of this project.">
      <QueryResult query={query}>
        {({ projects }) => {
          const part = projects.find((candidate) => candidate.id === project.id);
          if (!part) return <Text size="sm">Nothing used yet.</Text>;
          return <UsageBars use={part.use} limits={part.limits} />;
        }}
      </QueryResult>
    </Section>
  );
}

function ProjectUsage({ project }: { project: ProjectPage }) {
  const usage = useQuery(projectUsageQuery(project.id));
  const limits = useQuery(projectLimitsQuery(project.id));
  const { data: me } = useQuery(meQuery);
  return (
    <Stack>
      <QueryResult query={usage}>
        {({ use, limits: total, items }) => (
          <>
            <Section title="Total usage">
              <UsageBars use={use} limits={total} />
            </Section>
            <Group>
              <Button
                component="a"
                href={`/api/v1/projects/${project.id}/usage/export`}
                download
                variant="default"
                leftSection={<IconDownload size={16} aria-hidden />}
              >
                Export as CSV
              </Button>
            </Group>
            {items.length > 0 && <UsageTable lines={items} who="Person" />}
          </>
        )}
      </QueryResult>
      <QueryResult query={limits}>
        {({ total, each }) => (
          <>
            <Section
              title="Limits per member"
              about="What each member may use in this project. Checked before every submission. Leave a field empty for no limit."
            >
              <LimitsForm
                saved={each}
                save={(limits) => limitsApi.setPerMember(project.id, limits)}
              />
            </Section>
            {me?.is_admin && (
              <Section
                title="Limits for the whole project"
                about="Only administrators can change these."
              >
                <LimitsForm
                  saved={total}
                  save={(limits) => limitsApi.setForProject(project.id, limits)}
                />
              </Section>
            )}
          </>
        )}
      </QueryResult>
    </Stack>
  );
}
