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
export function fetchTab(tab: Tab = "overview"): void {
  if (tab !== "overview") void LOADERS[tab]().catch(() => undefined);
}

const QUIET = 3_000;

/** Have all tabs at hand once the page has come to rest, also for when the service is away. */
export function fetchTabs(): () => void {
  const timer = setTimeout(async () => {
    for (const load of Object.values(LOADERS)) await load().catch(() => undefined);
  }, QUIET);
  return () => clearTimeout(timer);
}
