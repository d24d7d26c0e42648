import { Alert } from "@mantine/core";
import { IconCloudOff } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useConnectionState } from "~/live/hooks";

const SHOW_AFTER = 1_500;

/** Warns that the data may be outdated, but not for a short interruption. */
export function OfflineBanner() {
  const offline = useConnectionState() === "offline";
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!offline) return setShown(false);
    const timer = setTimeout(() => setShown(true), SHOW_AFTER);
    return () => clearTimeout(timer);
  }, [offline]);
  if (!shown) return null;
  return (
    <Alert
      color="orange"
      icon={<IconCloudOff />}
      title="Diamond is not responding"
      mb="md"
      role="status"
    >
      You are seeing the last known state. Jobs on the clusters keep running; this page updates
      automatically once the service responds.
    </Alert>
  );
}
