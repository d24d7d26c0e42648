import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { askLimits, myUsageQuery, projectLimitsQuery, projectUsageQuery } from "~/api/limits";
import type { ProjectPage } from "~/api/projects";
import { meQuery } from "~/api/queries";
import { Answer } from "~/components/Answer";
import { Section } from "~/components/Section";
import { LimitsForm } from "~/limits/LimitsForm";
import { UsageTable } from "~/limits/UsageTable";
import { UseBars } from "~/limits/UseBars";
import { isManager } from "./rights";

/** What the project uses and may use: for managers of all, for others of themselves. */
export function UseTab({ project }: { project: ProjectPage }) {
  return isManager(project) ? <Managers project={project} /> : <Own project={project} />;
}

function Own({ project }: { project: ProjectPage }) {
  const query = useQuery(myUsageQuery);
  return (
    <Section title="Your usage" about="Compared with the limits for each member of this project.">
      <Answer query={query}>
        {({ projects }) => {
          const part = projects.find((one) => one.id === project.id);
          if (!part) return <Text size="sm">Nothing used yet.</Text>;
          return <UseBars use={part.use} limits={part.limits} />;
        }}
      </Answer>
    </Section>
  );
}

function Managers({ project }: { project: ProjectPage }) {
  const usage = useQuery(projectUsageQuery(project.id));
  const limits = useQuery(projectLimitsQuery(project.id));
  const { data: me } = useQuery(meQuery);
  return (
    <Stack>
      <Answer query={usage}>
        {({ use, limits: total, items }) => (
          <>
            <Section title="Total usage">
              <UseBars use={use} limits={total} />
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
      </Answer>
      <Answer query={limits}>
        {({ total, each }) => (
          <>
            <Section
              title="Limits per member"
              about="What each member may use in this project. Checked before every submission. Leave a field empty for no limit."
            >
              <LimitsForm
                kept={each}
                save={(limits) => askLimits.eachMembers(project.id, limits)}
              />
            </Section>
            {me?.is_admin && (
              <Section
                title="Limits for the whole project"
                about="Only administrators can change these."
              >
                <LimitsForm
                  kept={total}
                  save={(limits) => askLimits.projects(project.id, limits)}
                />
              </Section>
            )}
          </>
        )}
      </Answer>
    </Stack>
  );
}
