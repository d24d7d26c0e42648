import { Alert, Switch } from "@mantine/core";
import { useState } from "react";
import { Section } from "~/components/Section";
import { browserMaySpeak, letBrowserSpeak } from "~/shell/announce";

/** Notices by the browser itself. That is a matter of this browser, so it is kept here and holds at once. */
export function BrowserSection() {
  const [speaks, setSpeaks] = useState(browserMaySpeak);
  const possible = typeof Notification !== "undefined";
  const refused = possible && Notification.permission === "denied";
  const choose = async (wanted: boolean) => {
    if (wanted && Notification.permission === "default") await Notification.requestPermission();
    letBrowserSpeak(wanted);
    setSpeaks(browserMaySpeak());
  };
  return (
    <Section
      title="By this browser"
      about="Shown by your computer while you look at something else. A tab with Diamond must be open, also in the background."
    >
      <Switch
        label="Tell me by this browser"
        checked={speaks}
        disabled={!possible || refused}
        onChange={(event) => void choose(event.currentTarget.checked)}
      />
      {refused && (
        <Alert color="orange" title="This browser has been told not to">
          Allow notifications for this address in the browser's own settings, then come back.
        </Alert>
      )}
    </Section>
  );
}
