import { type ComponentType, lazy } from "react";
import type { Task } from "~/api/client";
import { LOADERS } from "./loaders";
import { OverviewTab } from "./OverviewTab";
import type { Tab } from "./search";

export const CONTENTS: Record<Tab, ComponentType<{ task: Task }>> = {
  overview: OverviewTab,
  log: lazy(LOADERS.log),
  metrics: lazy(LOADERS.metrics),
  resources: lazy(LOADERS.resources),
  files: lazy(LOADERS.files),
  code: lazy(LOADERS.code),
  record: lazy(LOADERS.record),
  history: lazy(LOADERS.history),
};
