import { ActionIcon, Indicator, Loader, Popover, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBell } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { count } from "~/lib/format";
import { notificationsQuery, useNotificationToasts } from "./notices";

const BellPanel = lazy(() => import("./BellPanel"));

/** Notifications since the person last looked. */
export function Bell() {
  const [open, { toggle, close }] = useDisclosure(false);
  const { data } = useQuery(notificationsQuery);
  useNotificationToasts();
  const unread = data?.unread ?? 0;
  const label = unread ? count(unread, "unread notification") : "Notifications";
  return (
    <Popover opened={open} onChange={close} position="bottom-end" width={380} shadow="md" trapFocus>
      <Popover.Target>
        <Tooltip label={label} disabled={open}>
          <Indicator
            label={unread > 99 ? "99+" : unread}
            size={16}
            offset={9}
            disabled={!unread}
            color="red.8"
          >
            <ActionIcon variant="subtle" color="gray" size="lg" onClick={toggle} aria-label={label}>
              <IconBell size={18} stroke={1.6} />
            </ActionIcon>
          </Indicator>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label="Notifications">
        <Suspense fallback={<Loader m="md" size="sm" />}>
          <BellPanel onGo={close} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
