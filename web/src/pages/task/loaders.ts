import type { Tab } from "./search";

/** Charts and the log are large, so each tab is loaded when it is first opened. */
export const LOADERS = {
  log: () => import("./log/LogTab").then((tab) => ({ default: tab.LogTab })),
  metrics: () => import("./metrics/MetricsTab").then((tab) => ({ default: tab.MetricsTab })),
  resources: () => import("./metrics/ResourcesTab").then((tab) => ({ default: tab.ResourcesTab })),
  files: () => import("./files/FilesTab").then((tab) => ({ default: tab.FilesTab })),
  code: () => import("./code/CodeTab").then((tab) => ({ default: tab.CodeTab })),
  record: () => import("./RecordTab").then((tab) => ({ default: tab.RecordTab })),
  history: () => import("./HistoryTab").then((tab) => ({ default: tab.HistoryTab })),
};

/** Loads a tab's code while the task is being fetched. */
export function preloadTab(tab: Tab = "overview"): void {
  if (tab !== "overview") void LOADERS[tab]().catch(() => undefined);
}

const PRELOAD_AFTER = 3_000;

/** Loads all tabs once the page is idle, also for when the service is unreachable. */
export function preloadTabs(): () => void {
  const timer = setTimeout(async () => {
    for (const load of Object.values(LOADERS)) await load().catch(() => undefined);
  }, PRELOAD_AFTER);
  return () => clearTimeout(timer);
}
