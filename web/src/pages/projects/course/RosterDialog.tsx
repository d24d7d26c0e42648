import { Alert, Button, FileButton, Group, List, Stack, Text, Textarea } from "@mantine/core";
import { IconDownload, IconUpload } from "@tabler/icons-react";
import { useState } from "react";
import type { Schemas } from "~/api/client";
import { askCourses } from "~/api/courses";
import type { ProjectPage } from "~/api/projects";
import { keys } from "~/api/queries";
import { Ask } from "~/components/Ask";
import { sayFailed } from "~/components/say";
import { useDeed } from "~/components/useDeed";
import { count } from "~/lib/format";
import { linksAsCsv } from "./links";

/** Students of a course, as the examination office gives it. */
export function RosterDialog({ project, onClose }: { project: ProjectPage; onClose: () => void }) {
  const [csv, setCsv] = useState("");
  const take = useDeed({
    by: () => askCourses.roster(project.id, csv),
    renews: [keys.projects, keys.tasks, keys.invitations],
  });
  const read = (file: File | null) => void file?.text().then(setCsv, sayFailed);
  return (
    <Ask
      title={`Add students to ${project.name}`}
      deed="Add students"
      leave={take.isSuccess ? "Close" : "Cancel"}
      isPending={take.isPending}
      isReady={Boolean(csv.trim())}
      error={take.error}
      onDo={() => take.run()}
      onClose={onClose}
      size="lg"
    >
      <Text size="sm">
        One student per line, with a column of e-mail addresses. A header line is optional.
        Uploading the same list again changes nothing.
      </Text>
      <Group>
        <FileButton onChange={read} accept=".csv,text/csv,text/plain">
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconUpload size={16} aria-hidden />}>
              Choose CSV file
            </Button>
          )}
        </FileButton>
      </Group>
      <Textarea
        label="Students"
        placeholder={"name,email\nGrace Hopper,grace@example.edu\n"}
        autosize
        minRows={4}
        maxRows={12}
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        value={csv}
        onChange={(event) => setCsv(event.currentTarget.value)}
      />
      {take.data && <Taken taken={take.data} course={project.name} />}
    </Ask>
  );
}

type TakenProps = { taken: Schemas["RosterTaken"]; course: string };

function Taken({ taken, course }: TakenProps) {
  const { added, known, invited, faults } = taken;
  const words = [
    `${count(added.length, "student")} added`,
    known.length > 0 && `${known.length} already in the course`,
    invited.length > 0 && `${count(invited.length, "student")} to invite`,
  ];
  return (
    <Alert
      color={faults.length ? "orange" : "teal"}
      title={words.filter(Boolean).join(", ")}
      role="status"
    >
      <Stack gap="xs" align="flex-start">
        {invited.length > 0 && (
          <>
            <Text size="sm">
              Each student has a personal link that works once, for their address. Diamond does not
              send e-mails, so pass the links on yourself. They are not shown again.
            </Text>
            <Button
              component="a"
              href={`data:text/csv;charset=utf-8,${encodeURIComponent(linksAsCsv(invited))}`}
              download={`${course}-invitations.csv`}
              size="xs"
              variant="default"
              leftSection={<IconDownload size={14} aria-hidden />}
            >
              Download links (CSV)
            </Button>
          </>
        )}
        {faults.length > 0 && (
          <List size="sm">
            {faults.map((one) => (
              <List.Item key={one.line}>
                Line {one.line}: {one.message}
              </List.Item>
            ))}
          </List>
        )}
      </Stack>
    </Alert>
  );
}
