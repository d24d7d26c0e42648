import { Button } from "@mantine/core";
import { IconPlus, IconServer2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Endpoint } from "~/api/client";
import { EmptyState } from "~/components/EmptyState";
import { Page } from "~/components/Page";
import { QueryResult } from "~/components/QueryResult";
import { SkeletonLines } from "~/components/SkeletonLines";
import classes from "~/endpoints/Columns.module.css";
import { endpointsQuery } from "~/endpoints/queries";
import { AddEndpoint } from "./add/AddEndpoint";
import { EndpointCard } from "./EndpointCard";
import { SharedProfiles } from "./SharedProfiles";
import type { AddMethod } from "./search";

export function Endpoints() {
  const { add } = useSearch({ from: "/endpoints" });
  const navigate = useNavigate();
  const setAdd = (way?: AddMethod) =>
    void navigate({ to: "/endpoints", search: way ? { add: way } : {} });
  const query = useQuery(endpointsQuery);
  const addButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdd("choose")}>
      Add endpoint
    </Button>
  );
  return (
    <Page title="Endpoints" lead="The machines that run your jobs." actions={addButton}>
      <QueryResult query={query} loading={<SkeletonLines count={2} height={220} />}>
        {({ items }) =>
          items.length ? <Cards endpoints={items} /> : <NoEndpoint action={addButton} />
        }
      </QueryResult>
      <SharedProfiles />
      {add && <AddEndpoint way={add} onWay={setAdd} onClose={() => setAdd()} />}
    </Page>
  );
}

function Cards({ endpoints }: { endpoints: Endpoint[] }) {
  return (
    <div className={classes.cards}>
      {endpoints.map((endpoint) => (
        <EndpointCard key={endpoint.id} endpoint={endpoint} />
      ))}
    </div>
  );
}

function NoEndpoint({ action }: { action: React.ReactNode }) {
  return (
    <EmptyState icon={IconServer2} title="No endpoints yet" action={action}>
      An endpoint is a machine that runs your jobs: this computer, a workstation, or a cluster where
      you have an account. Diamond puts a single file there; it acts only as you.
    </EmptyState>
  );
}
