import { Button, Card, Group, Stack, Text } from "@mantine/core";
import { IconFileSpreadsheet, IconSchool } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { courseTableQuery } from "~/api/courses";
import type { ProjectPage } from "~/api/projects";
import { Answer, Empty, Lines } from "~/components/Answer";
import { CopyLine } from "~/components/CopyLine";
import { EveryoneTable } from "./EveryoneTable";
import { RosterDialog } from "./RosterDialog";

/** For the lecturer: everyone's state in each assignment, and last error. */
export function Everyone({ project }: { project: ProjectPage }) {
  const [isOpen, setOpen] = useState(false);
  const query = useQuery(courseTableQuery(project.id));
  const roster = (
    <Button
      leftSection={<IconFileSpreadsheet size={16} aria-hidden />}
      onClick={() => setOpen(true)}
    >
      Add students by a list
    </Button>
  );
  return (
    <>
      <Answer query={query} loading={<Lines count={8} height={36} />}>
        {(table) => {
          const students = table.items.filter((one) => one.role !== "manager");
          if (!students.length) {
            return (
              <Empty icon={IconSchool} title="No student yet" action={roster}>
                Put the list of your course here, a CSV file with a column of e-mail addresses. Who
                has an account is in at once; the others get a link each.
              </Empty>
            );
          }
          return (
            <Stack>
              <Group>{roster}</Group>
              <EveryoneTable table={{ ...table, items: students }} />
              <Collect project={project} />
            </Stack>
          );
        }}
      </Answer>
      {isOpen && <RosterDialog project={project} onClose={() => setOpen(false)} />}
    </>
  );
}

function Collect({ project }: { project: ProjectPage }) {
  return (
    <Card component="section" aria-label="Collect the results" maw={720}>
      <Text size="sm" mb="xs">
        In a terminal, everybody's newest results come home as one folder, with a folder for each
        assignment and person:
      </Text>
      <CopyLine line={`diamond course collect ${project.name} results`} />
    </Card>
  );
}
