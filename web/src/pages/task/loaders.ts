import type { Tab } from "./search";

/** Charts and the log weigh more than the rest: each tab is loaded when it is first opened. */
export const LOADERS = {
  log: () => import("./log/LogTab").then((tab) => ({ default: tab.LogTab })),
  metrics: () => import("./metrics/MetricsTab").then((tab) => ({ default: tab.MetricsTab })),
  resources: () => import("./metrics/ResourcesTab").then((tab) => ({ default: tab.ResourcesTab })),
  files: () => import("./files/FilesTab").then((tab) => ({ default: tab.FilesTab })),
  code: () => import("./code/CodeTab").then((tab) => ({ default: tab.CodeTab })),
  history: () => import("./HistoryTab").then((tab) => ({ default: tab.HistoryTab })),
};

/** Have a tab's code on its way while the page and the task itself are asked for. */
export function preloadTab(tab: Tab = "overview"): void {
  if (tab !== "overview") void LOADERS[tab]().catch(() => undefined);
}

const PRELOAD_AFTER = 3_000;

/** Have all tabs at hand once the page has come to rest, also for when the service is away. */
export function preloadTabs(): () => void {
  const timer = setTimeout(async () => {
    for (const load of Object.values(LOADERS)) await load().catch(() => undefined);
  }, PRELOAD_AFTER);
  return () => clearTimeout(timer);
}
