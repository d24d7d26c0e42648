import { Alert } from "@mantine/core";
import { IconCloudOff } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useLinkState } from "~/live/hooks";

const PATIENCE = 1_500;

/** Says that what is shown may be old; a hiccup of a second is not worth a word. */
export function LinkBanner() {
  const offline = useLinkState() === "offline";
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!offline) return setShown(false);
    const timer = setTimeout(() => setShown(true), PATIENCE);
    return () => clearTimeout(timer);
  }, [offline]);
  if (!shown) return null;
  return (
    <Alert
      color="orange"
      icon={<IconCloudOff />}
      title="Diamond does not answer"
      mb="md"
      role="status"
    >
      What you see is what was last known. Jobs on the clusters go on; this page catches up by
      itself once the service answers again.
    </Alert>
  );
}
