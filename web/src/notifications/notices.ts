import { notifications } from "@mantine/notifications";
import { queryOptions } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { api, dataOf, type Schemas } from "~/api/client";
import { keys } from "~/api/queryKeys";
import { connection } from "~/live/connection";

export type Notice = Schemas["Notification"];

export const notificationsQuery = queryOptions({
  queryKey: keys.notifications,
  queryFn: () => dataOf(api.GET("/api/v1/notifications", { params: { query: { limit: 30 } } })),
});

export const NOTICE_COLORS: Record<Notice["kind"], string> = {
  succeeded: "teal",
  failed: "red",
  cancelled: "gray",
  asking: "orange",
  "sign-in": "orange",
  confirm: "blue",
  quota: "orange",
  purge: "orange",
  people: "blue",
};

const STORAGE_KEY = "diamond.browser-notifications";

/** Whether this browser shows notifications while no Diamond tab is visible. */
export function browserNotificationsEnabled(): boolean {
  return (
    typeof Notification !== "undefined" &&
    Notification.permission === "granted" &&
    localStorage.getItem(STORAGE_KEY) === "on"
  );
}

export function setBrowserNotifications(enabled: boolean): void {
  localStorage.setItem(STORAGE_KEY, enabled ? "on" : "off");
}

/** The page a notice links to. */
export function noticeLink(notice: Notice) {
  if (notice.task) return { to: "/tasks/$task", params: { task: notice.task } } as const;
  if (notice.endpoint)
    return { to: "/endpoints/$name", params: { name: notice.endpoint } } as const;
  return notice.kind === "people" ? ({ to: "/projects" } as const) : ({ to: "/" } as const);
}

/** Shows each notice as it arrives: in the visible page, or as a browser notification if none is visible. */
export function useNotificationToasts(): void {
  const navigate = useNavigate();
  useEffect(
    () =>
      connection.onEvent((event) => {
        if (event.type !== "notification") return;
        const notice = event.data;
        const open = () => void navigate(noticeLink(notice));
        if (document.visibilityState === "visible") showInPage(notice, open);
        else if (!connection.isAnyTabVisible && browserNotificationsEnabled())
          showInBrowser(notice, open);
      }),
    [navigate],
  );
}

function showInPage(notice: Notice, open: () => void): void {
  notifications.show({
    id: notice.id,
    title: notice.title,
    message: notice.text,
    color: NOTICE_COLORS[notice.kind],
    autoClose: notice.kind === "succeeded" ? 6_000 : 15_000,
    onClick: () => {
      notifications.hide(notice.id);
      open();
    },
    style: { cursor: "pointer" },
  });
}

/** With the tag, the browser shows it once, regardless of the number of tabs. */
function showInBrowser(notice: Notice, open: () => void): void {
  const shown = new Notification(notice.title, {
    body: notice.text,
    tag: notice.id,
    icon: "/diamond.svg",
  });
  shown.onclick = () => {
    window.focus();
    open();
    shown.close();
  };
}
