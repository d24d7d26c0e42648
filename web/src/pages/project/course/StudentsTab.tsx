import { Button, Card, Group, Stack, Text } from "@mantine/core";
import { IconFileSpreadsheet, IconSchool } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CopyLine } from "~/components/CopyLine";
import { EmptyState } from "~/components/EmptyState";
import { QueryResult } from "~/components/QueryResult";
import { SkeletonLines } from "~/components/SkeletonLines";
import { courseTableQuery } from "~/courses/api";
import type { ProjectPage } from "~/projects/api";
import { RosterDialog } from "./RosterDialog";
import { StudentTable } from "./StudentTable";

/** For the instructor: each student's progress and last error. */
export function StudentsTab({ project }: { project: ProjectPage }) {
  const [isOpen, setOpen] = useState(false);
  const query = useQuery(courseTableQuery(project.id));
  const roster = (
    <Button
      leftSection={<IconFileSpreadsheet size={16} aria-hidden />}
      onClick={() => setOpen(true)}
    >
      Add students
    </Button>
  );
  return (
    <>
      <QueryResult query={query} loading={<SkeletonLines count={8} height={36} />}>
        {(table) => {
          const students = table.items.filter((person) => person.role !== "manager");
          if (!students.length) {
            return (
              <EmptyState icon={IconSchool} title="No students yet" action={roster}>
                Upload a CSV file with a column of e-mail addresses. Students with an account are
                added immediately; you get an invitation link for each of the others.
              </EmptyState>
            );
          }
          return (
            <Stack>
              <Group>{roster}</Group>
              <StudentTable table={{ ...table, items: students }} />
              <CollectResults project={project} />
            </Stack>
          );
        }}
      </QueryResult>
      {isOpen && <RosterDialog project={project} onClose={() => setOpen(false)} />}
    </>
  );
}

function CollectResults({ project }: { project: ProjectPage }) {
  return (
    <Card component="section" aria-label="Collect results" maw={720}>
      <Text size="sm" mb="xs">
        Download everyone's latest results, one folder per assignment and student:
      </Text>
      <CopyLine line={`diamond course collect ${project.name} results`} />
    </Card>
  );
}
