import { Alert, Switch } from "@mantine/core";
import { useState } from "react";
import { Section } from "~/components/Section";
import { browserNotificationsEnabled, setBrowserNotifications } from "~/notifications/notices";

/** Browser notifications are a setting of this browser, so they are stored here and apply immediately. */
export function BrowserSection() {
  const [isEnabled, setEnabled] = useState(browserNotificationsEnabled);
  const possible = typeof Notification !== "undefined";
  const isBlocked = possible && Notification.permission === "denied";
  const choose = async (enable: boolean) => {
    if (enable && Notification.permission === "default") await Notification.requestPermission();
    setBrowserNotifications(enable);
    setEnabled(browserNotificationsEnabled());
  };
  return (
    <Section
      title="Browser notifications"
      about="Shown by your computer while you are doing something else. A Diamond tab must be open, even in the background."
    >
      <Switch
        label="Notify me in this browser"
        checked={isEnabled}
        disabled={!possible || isBlocked}
        onChange={(event) => void choose(event.currentTarget.checked)}
      />
      {isBlocked && (
        <Alert color="orange" title="Notifications are blocked in this browser">
          Allow notifications for this address in the browser's settings, then try again.
        </Alert>
      )}
    </Section>
  );
}
