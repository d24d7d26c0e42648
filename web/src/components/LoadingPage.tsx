import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorAlert } from "./ErrorAlert";
import { Page } from "./Page";
import { SkeletonLines } from "./SkeletonLines";

type LoadingPageProps = {
  title: string;
  query: Pick<UseQueryResult, "error" | "refetch">;
  /** A link to the list it is part of, shown if it cannot be loaded. */
  back: ReactNode;
};

/** The page of one thing while it is loaded, or if it cannot be. */
export function LoadingPage({ title, query, back }: LoadingPageProps) {
  return (
    <Page title={title}>
      {query.error ? (
        <>
          <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
          {back}
        </>
      ) : (
        <div aria-busy="true">
          <SkeletonLines count={6} height={44} />
        </div>
      )}
    </Page>
  );
}
