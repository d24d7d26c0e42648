import { Alert, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { BackLink } from "~/components/BackLink";
import { ErrorAlert } from "~/components/ErrorAlert";
import { LoadingPage } from "~/components/LoadingPage";
import { Page } from "~/components/Page";
import { SkeletonLines } from "~/components/SkeletonLines";
import { TabList } from "~/components/TabList";
import { count, duration } from "~/lib/format";
import { columnsQuery, type StudyDetail, studyQuery, type TrialColumns } from "~/studies/api";
import { StudyBadge } from "~/studies/StudyBadge";
import { CurvesTab } from "./CurvesTab";
import { OverviewTab } from "./OverviewTab";
import { ParametersTab } from "./ParametersTab";
import { StudyMenu } from "./StudyMenu";
import type { StudyTab } from "./search";
import { TrialsTab } from "./TrialsTab";

export type TabProps = { study: StudyDetail; trials: TrialColumns };

const TABS: Record<StudyTab, { label: string; content: ComponentType<TabProps> }> = {
  overview: { label: "Overview", content: OverviewTab },
  parameters: { label: "Parameters", content: ParametersTab },
  curves: { label: "Curves", content: CurvesTab },
  trials: { label: "Trials", content: TrialsTab },
};

/** One search: what was found, what it cost, and every trial. */
export function StudyPage() {
  const { study: id } = useParams({ from: "/studies/$study" });
  const query = useQuery(studyQuery(id));
  if (query.data) return <LoadedStudy study={query.data} />;
  return (
    <LoadingPage
      title="Study"
      query={query}
      back={<BackLink to="/studies" label="All studies" />}
    />
  );
}

function LoadedStudy({ study }: { study: StudyDetail }) {
  const { tab = "overview" } = useSearch({ from: "/studies/$study" });
  const navigate = useNavigate({ from: "/studies/$study" });
  const trials = useQuery(columnsQuery(study.id));
  const Content = TABS[tab].content;
  return (
    <Page
      title={study.name}
      tab={`Study ${study.name}`}
      lead={<Lead study={study} />}
      actions={<StudyMenu study={study} />}
      wide
    >
      <Notices study={study} />
      <Tabs
        value={tab}
        onChange={(next) =>
          void navigate({ search: next === "overview" ? {} : { tab: next as StudyTab } })
        }
        keepMounted={false}
      >
        <TabList value={tab} mb="md">
          {Object.entries(TABS).map(([name, { label }]) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </TabList>
        <Tabs.Panel value={tab}>
          {trials.data ? (
            <Content study={study} trials={trials.data} />
          ) : trials.error ? (
            <ErrorAlert error={trials.error} onRetry={() => void trials.refetch()} />
          ) : (
            <div aria-busy="true">
              <SkeletonLines count={5} height={60} />
            </div>
          )}
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Lead({ study }: { study: StudyDetail }) {
  const { complete, pruned, failed, running } = study.counts;
  const ended = complete + pruned + failed;
  return (
    <Text size="sm" component="div">
      <StudyBadge state={study.state} /> {ended} of {count(study.trials, "trial")} ended
      {running > 0 && `, ${running} running`}
      {study.seconds_left != null && `, about ${duration(study.seconds_left)} left`}. Sampler{" "}
      {study.sampler}, pruner {study.pruner.name}
      {study.on.length > 0 && `, on ${study.on.join(", ")}`}
      {study.pack !== "off" && `, ${packed(study.pack)}`}.
    </Text>
  );
}

function packed(pack: StudyDetail["pack"]) {
  return pack === "auto" ? "packed where it helps" : `${pack} trials in an allocation`;
}

function Notices({ study }: { study: StudyDetail }) {
  return (
    <>
      {study.message && (
        <Alert mb="md" color={study.state === "paused" ? "yellow" : "gray"} title={study.message}>
          {study.state === "paused" && "Resume it when the cause is fixed, or if you accept it."}
        </Alert>
      )}
      {study.warnings.map((warning) => (
        <Alert key={warning} mb="md" color="yellow" title={warning} />
      ))}
    </>
  );
}
