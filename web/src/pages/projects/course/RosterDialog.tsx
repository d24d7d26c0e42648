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

/** The list of a course, as the examination office gives it. */
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
      deed="Add them"
      leave={take.isSuccess ? "Close" : "Leave it"}
      isPending={take.isPending}
      isReady={Boolean(csv.trim())}
      error={take.error}
      onDo={() => take.run()}
      onClose={onClose}
      size="lg"
    >
      <Text size="sm">
        A line for each person, with a column of e-mail addresses; the first line may name the
        columns. The same list again changes nothing.
      </Text>
      <Group>
        <FileButton onChange={read} accept=".csv,text/csv,text/plain">
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconUpload size={16} aria-hidden />}>
              Choose a CSV file
            </Button>
          )}
        </FileButton>
      </Group>
      <Textarea
        label="The list"
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
    `${count(added.length, "person is", "people are")} in it now`,
    known.length > 0 && `${known.length} were already`,
    invited.length > 0 && `${count(invited.length, "person has", "people have")} to be invited`,
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
              Each has a link of her own, good once and for her address. Diamond sends no mail for
              it: hand the links over yourself. They are not shown again.
            </Text>
            <Button
              component="a"
              href={`data:text/csv;charset=utf-8,${encodeURIComponent(linksAsCsv(invited))}`}
              download={`${course}-invitations.csv`}
              size="xs"
              variant="default"
              leftSection={<IconDownload size={14} aria-hidden />}
            >
              Save the links (CSV)
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
