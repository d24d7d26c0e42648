import { Alert } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { IconAlertTriangle, IconSpeakerphone } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type Announcement, announcementsQuery } from "./api";

const REMEMBERED = 50;

/** Announcements from administrators. A closed one stays hidden in this browser until its text changes. */
export default function AnnouncementBanner() {
  const { data } = useQuery(announcementsQuery);
  const [closed, setClosed] = useLocalStorage<string[]>({
    key: "diamond.announcements-closed",
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const shown = (data?.items ?? []).filter(
    (announcement) => !closed.includes(fingerprint(announcement)),
  );
  return shown.map((announcement) => (
    <Banner
      key={announcement.id}
      announcement={announcement}
      onClose={() => setClosed([...closed, fingerprint(announcement)].slice(-REMEMBERED))}
    />
  ));
}

function fingerprint({ id, text }: Announcement): string {
  return `${id} ${text.length} ${text.slice(0, 40)}`;
}

type BannerProps = { announcement: Announcement; onClose: () => void };

function Banner({ announcement, onClose }: BannerProps) {
  const isWarning = announcement.level === "warning";
  return (
    <Alert
      color={isWarning ? "orange" : "blue"}
      icon={isWarning ? <IconAlertTriangle /> : <IconSpeakerphone />}
      mb="md"
      role="status"
      aria-label={isWarning ? "Warning" : "Announcement"}
      withCloseButton
      closeButtonLabel="Close announcement"
      onClose={onClose}
      style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}
    >
      {announcement.text}
    </Alert>
  );
}
