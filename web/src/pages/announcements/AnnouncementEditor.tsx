import { Group, SegmentedControl, Textarea } from "@mantine/core";
import { useState } from "react";
import { type Announcement, type AnnouncementRequest, announcementsApi } from "~/announcements/api";
import { keys } from "~/api/queryKeys";
import { DateTimeInput } from "~/components/DateTimeInput";
import { FormDialog } from "~/components/FormDialog";
import { useAction } from "~/components/useAction";

type AnnouncementDraft = Required<AnnouncementRequest>;
const NEW: AnnouncementDraft = { text: "", level: "info", starts: null, ends: null };
const LEVELS = [
  { value: "info", label: "Information" },
  { value: "warning", label: "Warning" },
];

type EditorProps = { announcement: Announcement | null; onClose: () => void };

export function AnnouncementEditor({ announcement, onClose }: EditorProps) {
  const [draft, setDraft] = useState<AnnouncementDraft>(announcement ? draftOf(announcement) : NEW);
  const change = (part: Partial<AnnouncementDraft>) =>
    setDraft((current) => ({ ...current, ...part }));
  const save = useAction({
    call: () => announcementsApi.save(announcement?.id ?? null, draft),
    refresh: [keys.announcements],
    success: "Announcement published.",
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={announcement ? "Edit announcement" : "New announcement"}
      submitLabel={announcement ? "Save" : "Publish"}
      isPending={save.isPending}
      isReady={Boolean(draft.text.trim())}
      error={save.error}
      onSubmit={() => save.run()}
      onClose={onClose}
    >
      <Textarea
        label="Text"
        placeholder="The cluster is down for maintenance on Friday, 8:00 to 12:00. Running jobs keep their results."
        autosize
        minRows={3}
        maxRows={10}
        value={draft.text}
        onChange={(event) => change({ text: event.currentTarget.value })}
        data-autofocus
      />
      <SegmentedControl
        aria-label="Kind"
        data={LEVELS}
        value={draft.level}
        onChange={(level) => change({ level: level as AnnouncementDraft["level"] })}
      />
      <Group grow align="flex-start">
        <DateTimeInput
          label="From"
          description="Leave empty to show it now."
          value={draft.starts}
          onChange={(starts) => change({ starts })}
        />
        <DateTimeInput
          label="Until"
          description="Leave empty to show it until you delete it."
          value={draft.ends}
          onChange={(ends) => change({ ends })}
        />
      </Group>
    </FormDialog>
  );
}

function draftOf({ text, level, starts, ends }: Announcement): AnnouncementDraft {
  return { text, level, starts, ends };
}
