import { Group, SegmentedControl, Textarea } from "@mantine/core";
import { useState } from "react";
import { type Announcement, type AnnouncementRequest, askAnnouncements } from "~/api/announcements";
import { keys } from "~/api/queries";
import { Ask } from "~/components/Ask";
import { MomentInput } from "~/components/MomentInput";
import { useDeed } from "~/components/useDeed";

type Wanted = Required<AnnouncementRequest>;
const NEW: Wanted = { text: "", level: "info", starts: null, ends: null };
const LEVELS = [
  { value: "info", label: "Information" },
  { value: "warning", label: "Warning" },
];

type EditorProps = { announcement: Announcement | null; onClose: () => void };

export function Editor({ announcement, onClose }: EditorProps) {
  const [wanted, setWanted] = useState<Wanted>(announcement ? partsOf(announcement) : NEW);
  const change = (part: Partial<Wanted>) => setWanted((now) => ({ ...now, ...part }));
  const keep = useDeed({
    by: () => askAnnouncements.keep(announcement?.id ?? null, wanted),
    renews: [keys.announcements],
    done: "Announcement published.",
    onDone: onClose,
  });
  return (
    <Ask
      title={announcement ? "Edit announcement" : "New announcement"}
      deed={announcement ? "Save" : "Publish"}
      isPending={keep.isPending}
      isReady={Boolean(wanted.text.trim())}
      error={keep.error}
      onDo={() => keep.run()}
      onClose={onClose}
    >
      <Textarea
        label="Text"
        placeholder="The cluster is down for maintenance on Friday, 8:00 to 12:00. Running jobs keep their results."
        autosize
        minRows={3}
        maxRows={10}
        value={wanted.text}
        onChange={(event) => change({ text: event.currentTarget.value })}
        data-autofocus
      />
      <SegmentedControl
        aria-label="Kind"
        data={LEVELS}
        value={wanted.level}
        onChange={(level) => change({ level: level as Wanted["level"] })}
      />
      <Group grow align="flex-start">
        <MomentInput
          label="From"
          description="Leave empty to show it now."
          value={wanted.starts}
          onChange={(starts) => change({ starts })}
        />
        <MomentInput
          label="Until"
          description="Leave empty to show it until you delete it."
          value={wanted.ends}
          onChange={(ends) => change({ ends })}
        />
      </Group>
    </Ask>
  );
}

function partsOf({ text, level, starts, ends }: Announcement): Wanted {
  return { text, level, starts, ends };
}
