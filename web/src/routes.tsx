import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from "@tanstack/react-router";
import { PageError } from "./components/PageError";
import { auditSearch } from "./pages/audit/search";
import { compareRunsSearch } from "./pages/compare/search";
import { composerSearch } from "./pages/composer/search";
import { dashboardSearch } from "./pages/dashboard/search";
import { datasetSearch } from "./pages/dataset/search";
import { datasetsSearch } from "./pages/datasets/search";
import { deviceSearch } from "./pages/device/search";
import { endpointSearch } from "./pages/endpoint/search";
import { endpointsSearch } from "./pages/endpoints/search";
import { imageSearch } from "./pages/image/search";
import { builderSearch } from "./pages/image-builder/search";
import { compareSearch } from "./pages/image-compare/search";
import { imagesSearch } from "./pages/images/search";
import { lineageSearch } from "./pages/lineage/search";
import { modelSearch } from "./pages/model/search";
import { modelsSearch } from "./pages/models/search";
import { pipelineSearch } from "./pages/pipeline/search";
import { projectSearch } from "./pages/project/search";
import { projectsSearch } from "./pages/projects/search";
import { runsSearch } from "./pages/runs/search";
import { settingsSearch } from "./pages/settings/search";
import { studySearch } from "./pages/study/search";
import { prefetchTask } from "./pages/task/prefetch";
import { taskSearch } from "./pages/task/search";
import { tasksSearch } from "./pages/tasks/search";
import { usersSearch } from "./pages/users/search";
import { NotFound } from "./shell/NotFound";
import { Shell } from "./shell/Shell";

/** The map of the pages. Each is loaded when it is first opened. */
const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: PageError,
});

const dashboard = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: dashboardSearch,
  component: lazyRouteComponent(() => import("./pages/dashboard/Dashboard"), "Dashboard"),
});
const endpoints = createRoute({
  getParentRoute: () => root,
  path: "/endpoints",
  validateSearch: endpointsSearch,
  component: lazyRouteComponent(() => import("./pages/endpoints/Endpoints"), "Endpoints"),
});
const endpoint = createRoute({
  getParentRoute: () => root,
  path: "/endpoints/$name",
  validateSearch: endpointSearch,
  component: lazyRouteComponent(() => import("./pages/endpoint/EndpointPage"), "EndpointPage"),
});
const composer = createRoute({
  getParentRoute: () => root,
  path: "/compose",
  validateSearch: composerSearch,
  search: { middlewares: [retainSearchParams(["project"])] },
  component: lazyRouteComponent(() => import("./pages/composer/Composer"), "Composer"),
});
const tasks = createRoute({
  getParentRoute: () => root,
  path: "/tasks",
  validateSearch: tasksSearch,
  component: lazyRouteComponent(() => import("./pages/tasks/Tasks"), "Tasks"),
});
const task = createRoute({
  getParentRoute: () => root,
  path: "/tasks/$task",
  validateSearch: taskSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => void prefetchTask(context.queries, params.task, deps),
  component: lazyRouteComponent(() => import("./pages/task/TaskPage"), "TaskPage"),
});
const runs = createRoute({
  getParentRoute: () => root,
  path: "/runs",
  validateSearch: runsSearch,
  component: lazyRouteComponent(() => import("./pages/runs/Runs"), "Runs"),
});
const compareRuns = createRoute({
  getParentRoute: () => root,
  path: "/compare",
  validateSearch: compareRunsSearch,
  component: lazyRouteComponent(() => import("./pages/compare/Compare"), "Compare"),
});
const lineage = createRoute({
  getParentRoute: () => root,
  path: "/lineage",
  validateSearch: lineageSearch,
  component: lazyRouteComponent(() => import("./pages/lineage/LineagePage"), "LineagePage"),
});
const device = createRoute({
  getParentRoute: () => root,
  path: "/device",
  validateSearch: deviceSearch,
  component: lazyRouteComponent(() => import("./pages/device/Device"), "Device"),
});
const images = createRoute({
  getParentRoute: () => root,
  path: "/images",
  validateSearch: imagesSearch,
  component: lazyRouteComponent(() => import("./pages/images/Images"), "Images"),
});
const compare = createRoute({
  getParentRoute: () => root,
  path: "/images/compare",
  validateSearch: compareSearch,
  component: lazyRouteComponent(() => import("./pages/image-compare/ImageCompare"), "ImageCompare"),
});
const image = createRoute({
  getParentRoute: () => root,
  path: "/images/$image",
  validateSearch: imageSearch,
  component: lazyRouteComponent(() => import("./pages/image/ImagePage"), "ImagePage"),
});
const pipelines = createRoute({
  getParentRoute: () => root,
  path: "/pipelines",
  component: lazyRouteComponent(() => import("./pages/pipelines/Pipelines"), "Pipelines"),
});
const pilots = createRoute({
  getParentRoute: () => root,
  path: "/pilots",
  component: lazyRouteComponent(() => import("./pages/pilots/Pilots"), "Pilots"),
});
const pilot = createRoute({
  getParentRoute: () => root,
  path: "/pilots/$pilot",
  component: lazyRouteComponent(() => import("./pages/pilot/PilotPage"), "PilotPage"),
});
const newPipeline = createRoute({
  getParentRoute: () => root,
  path: "/pipelines/new",
  component: lazyRouteComponent(
    () => import("./pages/pipeline-composer/PipelineComposer"),
    "PipelineComposer",
  ),
});
const pipeline = createRoute({
  getParentRoute: () => root,
  path: "/pipelines/$pipeline",
  validateSearch: pipelineSearch,
  component: lazyRouteComponent(() => import("./pages/pipeline/PipelinePage"), "PipelinePage"),
});
const datasets = createRoute({
  getParentRoute: () => root,
  path: "/datasets",
  validateSearch: datasetsSearch,
  component: lazyRouteComponent(() => import("./pages/datasets/Datasets"), "Datasets"),
});
const dataset = createRoute({
  getParentRoute: () => root,
  path: "/datasets/$dataset",
  validateSearch: datasetSearch,
  component: lazyRouteComponent(() => import("./pages/dataset/DatasetPage"), "DatasetPage"),
});
const models = createRoute({
  getParentRoute: () => root,
  path: "/models",
  validateSearch: modelsSearch,
  component: lazyRouteComponent(() => import("./pages/models/Models"), "Models"),
});
const model = createRoute({
  getParentRoute: () => root,
  path: "/models/$model",
  validateSearch: modelSearch,
  component: lazyRouteComponent(() => import("./pages/model/ModelPage"), "ModelPage"),
});
const studies = createRoute({
  getParentRoute: () => root,
  path: "/studies",
  component: lazyRouteComponent(() => import("./pages/studies/Studies"), "Studies"),
});
const study = createRoute({
  getParentRoute: () => root,
  path: "/studies/$study",
  validateSearch: studySearch,
  component: lazyRouteComponent(() => import("./pages/study/StudyPage"), "StudyPage"),
});
const builder = createRoute({
  getParentRoute: () => root,
  path: "/build",
  validateSearch: builderSearch,
  component: lazyRouteComponent(() => import("./pages/image-builder/ImageBuilder"), "ImageBuilder"),
});
const build = createRoute({
  getParentRoute: () => root,
  path: "/build/$task",
  component: lazyRouteComponent(() => import("./pages/image-build/BuildPage"), "BuildPage"),
});
const projects = createRoute({
  getParentRoute: () => root,
  path: "/projects",
  validateSearch: projectsSearch,
  component: lazyRouteComponent(() => import("./pages/projects/Projects"), "Projects"),
});
const project = createRoute({
  getParentRoute: () => root,
  path: "/projects/$project",
  validateSearch: projectSearch,
  component: lazyRouteComponent(() => import("./pages/project/ProjectPage"), "ProjectPage"),
});
const users = createRoute({
  getParentRoute: () => root,
  path: "/users",
  validateSearch: usersSearch,
  component: lazyRouteComponent(() => import("./pages/users/Users"), "Users"),
});
const announcements = createRoute({
  getParentRoute: () => root,
  path: "/announcements",
  component: lazyRouteComponent(
    () => import("./pages/announcements/Announcements"),
    "Announcements",
  ),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import("./pages/audit/Audit"), "Audit"),
});
const crates = createRoute({
  getParentRoute: () => root,
  path: "/crates",
  component: lazyRouteComponent(() => import("./pages/crates/Crates"), "Crates"),
});
const crate = createRoute({
  getParentRoute: () => root,
  path: "/crates/$crate",
  component: lazyRouteComponent(() => import("./pages/crate/CratePage"), "CratePage"),
});
const review = createRoute({
  getParentRoute: () => root,
  path: "/review/$secret",
  component: lazyRouteComponent(() => import("./pages/review/Review"), "Review"),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  validateSearch: settingsSearch,
  component: lazyRouteComponent(() => import("./pages/settings/Settings"), "Settings"),
});

const tree = root.addChildren([
  dashboard,
  endpoints,
  endpoint,
  composer,
  tasks,
  task,
  runs,
  compareRuns,
  lineage,
  device,
  images,
  compare,
  image,
  pipelines,
  newPipeline,
  pilots,
  pilot,
  pipeline,
  datasets,
  dataset,
  models,
  model,
  studies,
  study,
  builder,
  build,
  projects,
  project,
  users,
  announcements,
  audit,
  crates,
  crate,
  review,
  settings,
]);

export function makeRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queries },
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    // Per page, so that the shell stays when one crashes.
    defaultErrorComponent: PageError,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
