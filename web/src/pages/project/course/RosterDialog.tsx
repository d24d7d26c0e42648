import { Alert, Button, FileButton, Group, List, Stack, Text, Textarea } from "@mantine/core";
import { IconDownload, IconUpload } from "@tabler/icons-react";
import { useState } from "react";
import type { Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { FormDialog } from "~/components/FormDialog";
import { showError } from "~/components/toasts";
import { useAction } from "~/components/useAction";
import { coursesApi } from "~/courses/api";
import { count } from "~/lib/format";
import type { ProjectPage } from "~/projects/api";
import { linksAsCsv } from "./invitationCsv";

/** Adds students from a list. */
export function RosterDialog({ project, onClose }: { project: ProjectPage; onClose: () => void }) {
  const [csv, setCsv] = useState("");
  const addStudents = useAction({
    call: () => coursesApi.addRoster(project.id, csv),
    refresh: [keys.projects, keys.tasks, keys.invitations],
  });
  const read = (file: File | null) => void file?.text().then(setCsv, showError);
  return (
    <FormDialog
      title={`Add students to ${project.name}`}
      submitLabel="Add students"
      cancelLabel={addStudents.isSuccess ? "Close" : "Cancel"}
      isPending={addStudents.isPending}
      isReady={Boolean(csv.trim())}
      error={addStudents.error}
      onSubmit={() => addStudents.run()}
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
      {addStudents.data && <RosterResult result={addStudents.data} course={project.name} />}
    </FormDialog>
  );
}

type RosterResultProps = { result: Schemas["RosterTaken"]; course: string };

function RosterResult({ result, course }: RosterResultProps) {
  const { added, known, invited, faults } = result;
  const summary = [
    `${count(added.length, "student")} added`,
    known.length > 0 && `${known.length} already in the course`,
    invited.length > 0 && `${count(invited.length, "student")} to invite`,
  ];
  return (
    <Alert
      color={faults.length ? "orange" : "teal"}
      title={summary.filter(Boolean).join(", ")}
      role="status"
    >
      <Stack gap="xs" align="flex-start">
        {invited.length > 0 && (
          <>
            <Text size="sm">
              Each student has a personal link that works once, for their address. Diamond does not
              send e-mails, so send the links yourself. They are not shown again.
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
            {faults.map((fault) => (
              <List.Item key={fault.line}>
                Line {fault.line}: {fault.message}
              </List.Item>
            ))}
          </List>
        )}
      </Stack>
    </Alert>
  );
}
